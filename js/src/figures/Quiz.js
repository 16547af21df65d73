// Questions that explain each answer at once. Nothing leaves the page.

import { h, put, say, strong, write } from "../draw.js";
import { figure } from "../kit.js";
import { Quiz } from "../settings.js";

/** Text with *emphasis* and `code` as elements. */
const rich = (text) =>
  text.split(/(\*[^*]+\*|`[^`]+`)/).filter(Boolean).map((part) => {
    if (part.length > 2 && part.startsWith("*")) return h("em", {}, part.slice(1, -1));
    if (part.length > 2 && part.startsWith("`")) return h("code", {}, part.slice(1, -1));
    return part;
  });

export default figure("Quiz", Quiz, (ui) => {
  const { questions } = ui.state();
  const score = ui.readout();

  const blocks = questions.map(({ question, options, explanations, right }, number) => {
    const id = ui.unique();
    const choices = options.map((option, i) => {
      const mark = h("span", { class: "pf-mark", "aria-hidden": "true" });
      const button = h("button", { type: "button", class: "pf-option" }, mark, h("span", {}, ...rich(option)));
      // It stands there from the start: where an element comes or goes, :has() of the style sheets looks at the whole page.
      const why = h("div", { class: `pf-why ${i === right ? "pf-good" : "pf-bad"}` }, ...rich(explanations[i]));
      ui.on(button, "click", () => {
        const { answers } = ui.state();
        ui.set({ answers: answers.map((answer, n) => (n === number ? i : answer)) });
      });
      return { button, mark, why, good: i === right };
    });
    const spoken = h("div", { class: "pf-spoken", role: "status" });
    const element = h("div", { class: "pf-question", role: "group", "aria-labelledby": id },
      h("div", { class: "pf-asked", id }, `${number + 1}. `, ...rich(question)),
      ...choices.flatMap(({ button, why }) => [button, why]), spoken);
    return { element, choices, spoken };
  });

  ui.frame("Choose an answer to see whether it is right, and why", ...blocks.map((block) => block.element), score);

  let shown = questions.map(() => -1);

  return ({ answers }) => {
    if (answers.length !== questions.length) throw new RangeError(`answers=${JSON.stringify(answers)}: must be ${questions.length} numbers, one a question`);
    blocks.forEach(({ choices, spoken }, number) => {
      if (answers[number] >= choices.length) throw new RangeError(`answers=${JSON.stringify(answers)}: question ${number + 1} has ${choices.length} options`);
      choices.forEach(({ button, mark, why, good }, i) => {
        const chosen = answers[number] === i;
        put(button, { "aria-pressed": chosen, class: `pf-option${chosen ? (good ? " pf-good" : " pf-bad") : ""}` });
        say(mark, chosen ? (good ? "✓" : "✗") : "");
        why.hidden = !chosen;
        if (chosen && shown[number] !== i) say(spoken, good ? "Right." : "Wrong.");
      });
      if (answers[number] < 0) say(spoken, "");
    });
    shown = answers;
    const correct = questions.filter(({ right }, number) => answers[number] === right).length;
    const open = answers.filter((answer) => answer < 0).length;
    write(score, strong(`${correct}/${questions.length} correct`),
      open === 0 || open === questions.length ? "" : `, ${open} to go`);
  };
});

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
      const why = h("div", {}, ...rich(explanations[i]));
      ui.on(button, "click", () => {
        const { answers } = ui.state();
        ui.set({ answers: answers.map((answer, n) => (n === number ? i : answer)) });
      });
      return { button, mark, why, good: i === right };
    });
    const spoken = h("span", { class: "pf-spoken" });
    // One place for all explanations, as high as the longest: an answer moves nothing on the page.
    const place = h("div", { class: "pf-place", role: "status" }, spoken, ...choices.map(({ why }) => why));
    const element = h("div", { class: "pf-question", role: "group", "aria-labelledby": id },
      h("div", { class: "pf-asked", id }, `${number + 1}. `, ...rich(question)),
      ...choices.map(({ button }) => button), place);
    return { element, choices, spoken };
  });

  ui.frame("Choose an answer to see whether it is right, and why", ...blocks.map((block) => block.element), score);

  return ({ answers }) => {
    if (answers.length !== questions.length) throw new RangeError(`answers=${JSON.stringify(answers)}: must be ${questions.length} numbers, one a question`);
    blocks.forEach(({ choices, spoken }, number) => {
      const answer = answers[number];
      if (answer >= choices.length) throw new RangeError(`answers=${JSON.stringify(answers)}: question ${number + 1} has ${choices.length} options`);
      choices.forEach(({ button, mark, why, good }, i) => {
        const chosen = answer === i;
        const verdict = chosen ? (good ? " pf-good" : " pf-bad") : "";
        put(button, { "aria-pressed": chosen, class: `pf-option${verdict}` });
        put(why, { class: `pf-why${verdict}` });
        say(mark, chosen ? (good ? "✓" : "✗") : "");
      });
      if (answer < 0) say(spoken, "");
      else say(spoken, choices[answer].good ? "Right." : "Wrong.");
    });
    const correct = questions.filter(({ right }, number) => answers[number] === right).length;
    const open = answers.filter((answer) => answer < 0).length;
    write(score, strong(`${correct}/${questions.length} correct`),
      open === 0 || open === questions.length ? "" : `, ${open} to go`);
  };
});

"""Questions that explain each answer at once."""

import html
import tomllib
from pathlib import Path
from typing import Any

import traitlets

from posenc.figures.base import Figure, FigureError, Setting

__all__ = ["Quiz"]

QUESTIONS = Path(__file__).parent / "questions"
FIELDS = {"question": str, "options": list, "right": int, "explanations": list}


class Questions(Setting):
    """A list of questions, each with options, the number of the right one, and explanations."""

    def __init__(self, help_text: str) -> None:
        allowed = (
            "a list of dicts with question (text), options (two or more texts), right (the number "
            "of the right option, from 0) and explanations (one text an option)"
        )
        super().__init__([], allowed, {"kind": "questions"}, help_text)

    def clean(self, value: Any) -> list[dict[str, Any]] | None:
        """Return ``value`` if every question is complete, or ``None``."""
        good = isinstance(value, (list, tuple)) and value and all(map(self._complete, value))
        return [dict(question) for question in value] if good else None

    @staticmethod
    def _complete(question: Any) -> bool:
        if not isinstance(question, dict) or set(question) != set(FIELDS):
            return False
        if not all(type(question[name]) is kind for name, kind in FIELDS.items()):
            return False
        texts = [question["question"], *question["options"], *question["explanations"]]
        options = len(question["options"])
        return (
            all(isinstance(text, str) and text for text in texts)
            and 2 <= options == len(question["explanations"])
            and 0 <= question["right"] < options
        )


class Answers(Setting):
    """The number of the chosen option for each question, -1 where none is chosen."""

    def __init__(self, help_text: str) -> None:
        allowed = "a list with the number of an option for each question, or -1 for none"
        super().__init__([], allowed, {"kind": "answers"}, help_text)

    def clean(self, value: Any) -> list[int] | None:
        """Return ``value`` if it is a list of whole numbers from -1 on, or ``None``."""
        good = isinstance(value, (list, tuple)) and all(
            type(answer) is int and answer >= -1 for answer in value
        )
        return list(value) if good else None


class Quiz(Figure):
    """Questions whose answers are explained at once, right or wrong; the answers stay here.

    Text may hold ``*emphasis*`` and code between backquotes.
    """

    questions = Questions("The questions.")
    answers = Answers("The chosen option of each question, -1 for none.")

    def __init__(self, questions: list[dict[str, Any]], **settings: Any) -> None:
        if isinstance(questions, (list, tuple)):
            settings.setdefault("answers", [-1] * len(questions))
        super().__init__(questions=questions, **settings)

    @classmethod
    def of(cls, lesson: str) -> "Quiz":
        """Return the questions of a lesson, by the name of its notebook."""
        known = sorted(path.stem for path in QUESTIONS.glob("*.toml"))
        if lesson not in known:
            raise FigureError(f"lesson={lesson!r}: must be one of {', '.join(map(repr, known))}")
        text = (QUESTIONS / f"{lesson}.toml").read_text(encoding="utf-8")
        return cls(tomllib.loads(text)["questions"])

    @traitlets.validate("answers")
    def _check_answers(self, proposal: Any) -> list[int]:
        answers: list[int] = proposal.value
        sizes = [len(question["options"]) for question in self.questions]
        if len(answers) != len(sizes) or any(a >= n for a, n in zip(answers, sizes, strict=True)):
            raise FigureError(
                f"answers={answers}: must be {len(sizes)} numbers, each -1 or below the number of "
                f"options {sizes}"
            )
        return answers

    @property
    def correct(self) -> int:
        """How many answers are right."""
        return sum(
            answer == question["right"]
            for answer, question in zip(self.answers, self.questions, strict=True)
        )

    def describe(self) -> str:
        """Return in words what the figure shows."""
        return f"Quiz: {len(self.questions)} questions, {self.correct} answered correctly."

    def markdown(self) -> str:
        """Return the questions as text in which every answer can be opened."""
        lines = []
        for number, question in enumerate(self.questions, start=1):
            lines.append(f"**{number}. {question['question']}**")
            for option, why in zip(question["options"], question["explanations"], strict=True):
                lines += [f"<details><summary>{_html(option)}</summary>", why, "</details>"]
        return "\n\n".join(lines)

    def _still(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return {"text/markdown": self.markdown()}, {}


def _html(text: str) -> str:
    """Return text with its emphasis and code in HTML, for where Markdown is not read."""
    text = html.escape(text, quote=False)
    for sign, tag in (("*", "em"), ("`", "code")):
        parts = text.split(sign)
        text = "".join(f"<{tag}>{part}</{tag}>" if i % 2 else part for i, part in enumerate(parts))
    return text

"""Write book/numbers.md, the ledger: every number from a source beside the one computed here."""

import inspect
import tomllib
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import numpy as np

import posenc

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "book" / "numbers.toml"
PAGE = ROOT / "book" / "numbers.md"

HEAD = """\
# The ledger of numbers

Every number that the book takes from its three source documents, from papers and from fault
reports, beside the number computed here.

Three documents started this book: a Russian lecture note, a Vietnamese explainer and a chapter of a
Russian textbook. A number *agrees* if the computed one rounds to it at its last printed digit. A
claim that is no number agrees if its test is true, and so does a number of which a test says what
counts, such as one of a random draw. *Given* marks what a document chose, such as the embeddings of
an example, and what our own choice was fitted to: there is nothing to compute. Numbers of lessons,
figures and pages are left out.

The expressions are Python. They use `numpy` as `np`, the functions of `posenc`, and these names:

```python
{names}
```

{summary}
"""


def load(path: Path = DATA) -> dict[str, Any]:
    """Return the ledger as it is written."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def vocabulary(ledger: dict[str, Any]) -> dict[str, Any]:
    """Return the names that an expression may use."""
    names: dict[str, Any] = {name: getattr(posenc, name) for name in posenc.__all__}
    names |= {"np": np, "inspect": inspect}
    for name, expression in ledger["names"].items():
        names[name] = eval(expression, names)
    return names


def printed_numbers(printed: str) -> list[Decimal]:
    """Return the numbers of a printed value, or nothing if it is words."""
    try:
        return [Decimal(part.strip()) for part in printed.split(",")]
    except InvalidOperation:
        return []


def rounds_to(value: Any, printed: str) -> bool:
    """Return whether every number is within half a unit of the last digit printed for it."""
    values, numbers = np.ravel(value), printed_numbers(printed)
    if not numbers or len(values) != len(numbers):
        raise ValueError(f"printed={printed!r}: does not match the {len(values)} values computed")
    return all(
        abs(Decimal(float(v)) - n) <= Decimal(5).scaleb(int(n.as_tuple().exponent) - 1)
        for v, n in zip(values, numbers, strict=True)
    )


def shown(value: Any, printed: str) -> str:
    """Return our value as text, with two digits more than were printed."""
    values, numbers = np.ravel(value), printed_numbers(printed)
    if len(values) != len(numbers):
        return ", ".join(f"{v:.4g}" for v in values)
    return ", ".join(
        f"{v}" if np.issubdtype(np.asarray(v).dtype, np.integer) else f"{v:.{digits(n) + 2}g}"
        for v, n in zip(values, numbers, strict=True)
    )


def digits(number: Decimal) -> int:
    """Return how many significant digits a printed number has."""
    return len(number.as_tuple().digits)


def judged(entry: dict[str, Any], names: dict[str, Any]) -> tuple[str, str]:
    """Return our value as text and the verdict: ``agrees``, ``differs`` or ``given``."""
    if entry.get("given"):
        return "", "given"
    value = eval(entry["value"], names) if "value" in entry else None
    if "holds" in entry:
        agrees = bool(eval(entry["holds"], names))
    else:
        agrees = rounds_to(value, entry["printed"])
    text = ("holds" if agrees else "fails") if value is None else shown(value, entry["printed"])
    return text, "agrees" if agrees else "differs"


def table(rows: list[tuple[dict[str, Any], str, str]]) -> Iterator[str]:
    """Yield the lines of one source's table, then a paragraph for every number that differs."""
    yield "| claim | printed | computed | verdict | expression |"
    yield "|---|---|---|---|---|"
    for entry, text, verdict in rows:
        code = " and ".join(f"`{entry[key]}`" for key in ("value", "holds") if key in entry)
        mark = f"**{verdict}**" if verdict == "differs" else verdict
        claim = f"{entry['claim']} ({entry['place']})"
        cells = [claim, entry["printed"], text, mark, code]
        yield "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"
    for entry, _, verdict in rows:
        if verdict == "differs":
            yield ""
            yield f"*{entry['claim'][0].upper()}{entry['claim'][1:]}.* {entry['note']}"


def page(ledger: dict[str, Any]) -> str:
    """Return the text of the ledger's page."""
    names = vocabulary(ledger)
    rows = [(entry, *judged(entry, names)) for entry in ledger["number"]]
    counts = {word: sum(row[2] == word for row in rows) for word in ("agrees", "differs", "given")}
    summary = "Of {} entries {agrees} agree, {differs} differ and {given} are given.".format(
        len(rows), **counts
    )
    listed = "\n".join(f"{name} = {code}" for name, code in ledger["names"].items())
    parts = [HEAD.format(names=listed, summary=summary)]
    for chapter, lesson in ledger["chapters"].items():
        parts.append(f"## [Chapter {chapter}](../notebooks/{lesson})\n")
        for source, title in ledger["sources"].items():
            mine = [
                row
                for row in rows
                if str(row[0]["chapter"]) == chapter and row[0]["source"] == source
            ]
            if mine:
                parts.append("\n".join([f"### {title}\n", *table(mine), ""]))
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(load()), encoding="utf-8", newline="\n")

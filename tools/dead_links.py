"""Try every link of the pages that leads to another site, and write down the dead ones.

Some sites refuse programs and let readers in. Only what is not found, or has no host, is dead.
"""

import json
import subprocess
import sys
from pathlib import Path

from repository import ROOT

# How an answer begins that asks for an account, wants no programs, had too many, or is busy.
REFUSED = ("401 ", "403 ", "429 ", "503 ")


def tried(root: Path, output: Path) -> list[dict[str, str]]:
    """Return what Sphinx found out about each link of the book at ``root``."""
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    options = ["-q", "--builder", "linkcheck", "--path-output", output]
    subprocess.run([jupyter_book, "build", root, *options], check=False, capture_output=True)
    # Jupyter Book calls the folder of every builder html.
    lines = (output / "_build" / "html" / "output.json").read_text().splitlines()
    return [json.loads(line) for line in lines]


def dead(links: list[dict[str, str]]) -> list[str]:
    """Return a line of Markdown for each dead link: where it stands, and what came back."""
    return [
        f"- `{link['filename']}`, line {link['lineno']}: {link['uri']} ({link['info']})"
        for link in links
        if link["status"] == "broken" and not link["info"].startswith(REFUSED)
    ]


if __name__ == "__main__":
    found = dead(tried(ROOT, ROOT / "_build" / "links"))
    report = ROOT / "_build" / "dead-links.md"
    report.write_text("\n".join([*found, ""]))
    if found:
        sys.exit(report.read_text())
    print("every link to another site leads somewhere")

"""Write the repository's address everywhere it belongs: ``make publish-to URL=...``.

Each place holds it in a form of its own, because another program reads it there: Jupyter Book, a
kernel, GitHub, a package index. What a place holds follows from the address alone, so that writing
twice changes nothing, and a mixture is found by writing once more.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import setup_cell
from repository import BINDER, COLAB, ROOT, Repository

Write = Callable[[str, Repository | None], str]


def config(text: str, repository: Repository | None) -> str:
    """Return _config.yml with the addresses of source and site, and buttons that lead somewhere."""
    values = {
        r"use_\w+_button": "true" if repository else "false",
        "baseurl": f'"{repository.site}"' if repository else '""',
        "url": f'"{repository.address}"' if repository else '""',
    }
    for key, value in values.items():
        text = re.sub(rf"^(  {key}): .*", rf"\1: {value}", text, flags=re.M)
    text = re.sub(r"^launch_buttons:\n(?:.+\n)*\n", "", text, flags=re.M)
    if repository is None:
        return text
    buttons = f"""\
launch_buttons:
  notebook_interface: jupyterlab
  binderhub_url: "{BINDER}"
  colab_url: "{COLAB}"

"""
    return re.sub(r"^(?=parse:)", buttons, text, flags=re.M)


def readme(text: str, repository: Repository | None) -> str:
    """Return README.md with badges below its title."""
    text = re.sub(r"^\[!\[.*\n\n", "", text, flags=re.M)
    if repository is None:
        return text
    lesson = min((ROOT / "notebooks").glob("*.ipynb")).relative_to(ROOT).as_posix()
    tests = f"{repository.address}/actions/workflows/tests.yml"
    badges = [
        ("Read it online", "https://img.shields.io/badge/read-online-blue.svg", repository.site),
        ("Tests", f"{tests}/badge.svg", tests),
        ("Binder", "https://mybinder.org/badge_logo.svg", repository.binder("notebooks")),
        (
            "Open the first lesson in Colab",
            "https://colab.research.google.com/assets/colab-badge.svg",
            repository.colab(lesson),
        ),
    ]
    line = " ".join(f"[![{words}]({picture})]({link})" for words, picture, link in badges)
    title, rest = text.split("\n\n", maxsplit=1)
    return f"{title}\n\n{line}\n\n{rest}"


def citation(text: str, repository: Repository | None) -> str:
    """Return CITATION.cff with where the book and its source are."""
    text = re.sub(r"^(?:url|repository-code): .*\n", "", text, flags=re.M)
    if repository is None:
        return text
    return f'{text}url: "{repository.site}"\nrepository-code: "{repository.address}"\n'


def package(text: str, repository: Repository | None) -> str:
    """Return pyproject.toml with the addresses that a package's page shows."""
    text = re.sub(r"^\[project\.urls\]\n(?:.+\n)*\n", "", text, flags=re.M)
    if repository is None:
        return text
    urls = f'[project.urls]\nBook = "{repository.site}"\nRepository = "{repository.address}"\n\n'
    return re.sub(r"^(?=\[project\.optional-dependencies\])", urls, text, flags=re.M)


def notebook(text: str, repository: Repository | None) -> str:
    """Return a lesson whose set-up cell installs posenc from the repository."""
    lesson = nbformat.reads(text, as_version=4)
    setup_cell.put_into(lesson, repository)
    return nbformat.writes(lesson) + "\n"


def places(root: Path = ROOT) -> dict[Path, Write]:
    """Return every file that holds the address, and what writes it there."""
    return {
        root / "_config.yml": config,
        root / "README.md": readme,
        root / "CITATION.cff": citation,
        root / "pyproject.toml": package,
        **dict.fromkeys(sorted((root / "notebooks").glob("*.ipynb")), notebook),
    }


def publish(url: str, root: Path = ROOT) -> list[Path]:
    """Write the address everywhere, or nowhere if a place fails; return the files that changed."""
    repository = Repository.at(url)
    old = {path: path.read_text() for path in places(root)}
    new = {path: write(old[path], repository) for path, write in places(root).items()}
    changed = [path for path in new if new[path] != old[path]]
    for path in changed:
        path.write_text(new[path])
    return changed


if __name__ == "__main__":
    try:
        changed = publish(*sys.argv[1:])
    except ValueError as error:
        sys.exit(f"nothing is written: {error}")
    for path in changed:
        print(f"{path.relative_to(ROOT)}: written")
    print("Commit this, push it, and set Pages to GitHub Actions; CONTRIBUTING.md says how.")

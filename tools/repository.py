"""The address that the book is published under, and the addresses that follow from it."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

import yaml

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = "https://github.com/you/repo"
BRANCH = "main"
BINDER = "https://mybinder.org"
COLAB = "https://colab.research.google.com"

OWNER = re.compile(r"[A-Za-z0-9](?:-?[A-Za-z0-9]){0,38}")
NAME = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}")


@dataclass(frozen=True)
class Repository:
    """A repository on GitHub, whose Pages show the site and from which Colab and Binder load."""

    owner: str
    name: str

    @classmethod
    def at(cls, url: str) -> Self:
        """Return the repository at an address like ``https://github.com/you/repo``.

        A slash or ``.git`` at the end is left off. Raises ValueError with the reason otherwise.
        """
        parts = urlsplit(url)
        path = parts.path.removesuffix("/").removesuffix(".git").removeprefix("/")
        owner, slash, name = path.partition("/")
        if parts.scheme != "https":
            reason = "it does not begin with https://"
        elif url.split() != [url]:
            reason = "it holds white space"
        elif parts.netloc != "github.com":
            reason = f"its host is {parts.netloc!r}, and Colab and Pages need github.com"
        elif parts.query or parts.fragment:
            rest = url[url.index(parts.path) + len(parts.path) :]
            reason = f"it goes on behind the path with {rest!r}"
        elif not slash or "/" in name:
            reason = f"its path is {parts.path!r}, not an owner and a repository"
        elif not OWNER.fullmatch(owner):
            reason = f"{owner!r} is no name of an owner: letters, digits and single hyphens"
        elif not NAME.fullmatch(name):
            reason = f"{name!r} is no name of a repository: letters, digits, '.', '_' and '-'"
        else:
            return cls(owner, name)
        raise ValueError(f"{url!r} is not the address of a repository, as {EXAMPLE} is: {reason}")

    @property
    def address(self) -> str:
        """Where the repository is."""
        return f"https://github.com/{self.owner}/{self.name}"

    @property
    def site(self) -> str:
        """Where GitHub Pages shows its website."""
        host = f"{self.owner.lower()}.github.io"
        return f"https://{host}/" if self.name.lower() == host else f"https://{host}/{self.name}/"

    def binder(self, path: str) -> str:
        """Return where Binder opens a file or folder of the repository in JupyterLab."""
        return f"{BINDER}/v2/gh/{self.owner}/{self.name}/{BRANCH}?urlpath=lab/tree/{path}"

    def colab(self, path: str) -> str:
        """Return where Colab opens a notebook of the repository."""
        return f"{COLAB}/github/{self.owner}/{self.name}/blob/{BRANCH}/{path}"


def configured(root: Path = ROOT) -> Repository | None:
    """Return the repository that _config.yml names, which is the one setting; None before."""
    url = yaml.safe_load((root / "_config.yml").read_text())["repository"]["url"]
    return Repository.at(url) if url else None

"""One address of the repository, everywhere or nowhere."""

import shutil
import tomllib

import lesson
import publish
import pytest
import repository
import setup_cell
import yaml
from repository import Repository

ADDRESS = "https://github.com/someone/a-book"
OTHER = "https://github.com/else/b.book"


@pytest.mark.parametrize("path", publish.places(), ids=lambda path: path.name)
def test_this_checkout_holds_one_address_or_none(path):
    text = path.read_text()
    expected = publish.places()[path](text, repository.configured())
    assert text == expected, "`make publish-to URL=...` (for a lesson `make normalize`) mends it"


@pytest.mark.parametrize(
    ("url", "site"),
    [
        (ADDRESS, "https://someone.github.io/a-book/"),
        (f"{ADDRESS}/", "https://someone.github.io/a-book/"),
        (f"{ADDRESS}.git", "https://someone.github.io/a-book/"),
        ("https://github.com/Some-One/Book_1.x", "https://some-one.github.io/Book_1.x/"),
        ("https://github.com/Me/me.github.io", "https://me.github.io/"),
    ],
)
def test_addresses_that_follow(url, site):
    book = Repository.at(url)
    assert book.site == site
    assert Repository.at(book.address) == book
    path = f"{book.owner}/{book.name}"
    assert book.colab("notebooks/1.ipynb") == (
        f"https://colab.research.google.com/github/{path}/blob/main/notebooks/1.ipynb"
    )
    assert book.binder("notebooks") == (
        f"https://mybinder.org/v2/gh/{path}/main?urlpath=lab/tree/notebooks"
    )


MALFORMED = {
    "": "does not begin with https://",
    "someone/a-book": "does not begin with https://",
    "http://github.com/someone/a-book": "does not begin with https://",
    "git@github.com:someone/a-book.git": "does not begin with https://",
    "https://gitlab.com/someone/a-book": "'gitlab.com'",
    "https://me:secret@github.com/someone/a-book": "'me:secret@github.com'",
    "https://github.com": "not an owner and a repository",
    "https://github.com/someone": "not an owner and a repository",
    "https://github.com/someone/": "not an owner and a repository",
    "https://github.com/someone/a-book/tree/main": "not an owner and a repository",
    "https://github.com/someone/a-book?tab=readme": "'?tab=readme'",
    "https://github.com/someone/a-book#top": "'#top'",
    "https://github.com/some_one/a-book": "'some_one' is no name of an owner",
    "https://github.com/-someone/a-book": "'-someone' is no name of an owner",
    "https://github.com/someone/a book": "white space",
    "https://github.com/someone/..": "'..' is no name of a repository",
    'https://github.com/someone/a"book': "is no name of a repository",
    "https://github.com/someone/a-\nbook": "white space",
}


@pytest.fixture
def checkout(tmp_path):
    """The files that hold the address, as they are before the book is published."""
    for path, write in publish.places().items():
        copy = tmp_path / path.relative_to(repository.ROOT)
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(write(path.read_text(), None))
    return tmp_path


def texts(folder):
    return {path: path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("url", "reason"), MALFORMED.items())
def test_a_malformed_address_is_refused_and_nothing_written(checkout, url, reason):
    before = texts(checkout)
    with pytest.raises(ValueError, match="is not the address of a repository") as refusal:
        publish.publish(url, checkout)
    assert reason in str(refusal.value)
    assert repository.EXAMPLE in str(refusal.value)
    assert texts(checkout) == before


def test_nothing_is_written_if_one_place_cannot_be(checkout):
    broken = checkout / "notebooks" / lesson.all_lessons()[-1].name
    broken.write_text("{}")
    before = texts(checkout)
    with pytest.raises(Exception):  # noqa: B017, PT011  # whatever a broken notebook raises
        publish.publish(ADDRESS, checkout)
    assert texts(checkout) == before


def test_before_it_no_place_names_an_address(checkout):
    assert repository.configured(checkout) is None
    for text in texts(checkout).values():
        for word in ("git+https", "mybinder", "colab.research", "github.io", "badge"):
            assert word not in text


def test_every_place_holds_the_address(checkout):
    changed = publish.publish(ADDRESS, checkout)
    assert sorted(changed) == sorted(texts(checkout))
    assert repository.configured(checkout) == Repository.at(ADDRESS)
    for text in texts(checkout).values():
        assert ADDRESS in text
    for path in (checkout / "notebooks").iterdir():
        setup = next(cell for cell in lesson.read(path).cells if cell.cell_type == "code")
        assert setup.source == setup_cell.source(Repository.at(ADDRESS))


def test_the_files_can_still_be_read(checkout):
    publish.publish(ADDRESS, checkout)
    urls = tomllib.loads((checkout / "pyproject.toml").read_text())["project"]["urls"]
    assert set(urls.values()) == {ADDRESS, Repository.at(ADDRESS).site}
    citation = yaml.safe_load((checkout / "CITATION.cff").read_text())
    assert citation["repository-code"] == ADDRESS
    assert citation["url"] == Repository.at(ADDRESS).site
    title, badges, prose, _ = (checkout / "README.md").read_text().split("\n\n", maxsplit=3)
    assert title.startswith("# ")
    assert badges.count("[![") == 4
    assert not prose.startswith("[")


def test_the_workflow_and_lesson_of_the_badges_are_there(checkout):
    publish.publish(ADDRESS, checkout)
    readme = (checkout / "README.md").read_text()
    branch = readme.partition("/blob/main/")[2].partition(")")[0]
    workflow = readme.partition("/actions/")[2].partition("/badge.svg")[0]
    assert (repository.ROOT / branch).is_file()
    assert (repository.ROOT / ".github" / workflow).is_file()


def test_publishing_twice_changes_nothing(checkout):
    publish.publish(ADDRESS, checkout)
    before = texts(checkout)
    assert publish.publish(f"{ADDRESS}.git", checkout) == []
    assert texts(checkout) == before


def test_another_address_replaces_the_first(checkout, tmp_path_factory):
    direct = tmp_path_factory.mktemp("direct") / "checkout"
    shutil.copytree(checkout, direct)
    publish.publish(OTHER, direct)
    publish.publish(ADDRESS, checkout)
    publish.publish(OTHER, checkout)
    for path, text in texts(checkout).items():
        assert ADDRESS not in text
        assert text == (direct / path.relative_to(checkout)).read_text()


@pytest.mark.parametrize("place", publish.places(), ids=lambda path: path.name)
@pytest.mark.parametrize("first", [None, OTHER])
def test_a_mixture_is_found(checkout, first, place):
    """One place with another address than the rest, or set where the rest is not."""
    if first:
        publish.publish(first, checkout)
    odd = checkout / place.relative_to(repository.ROOT)
    odd.write_text(publish.places(checkout)[odd](odd.read_text(), Repository.at(ADDRESS)))
    setting = repository.configured(checkout)
    found = [
        path
        for path, write in publish.places(checkout).items()
        if path.read_text() != write(path.read_text(), setting)
    ]
    assert found == [odd] or (odd.name == "_config.yml" and len(found) == len(texts(checkout)) - 1)

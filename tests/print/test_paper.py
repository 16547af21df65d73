"""What of the book on paper can be judged without LaTeX."""

import io
import re
import subprocess
import sys

import build_pdf
import lesson
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

CONFIG = """
extensions = ["myst_nb", "print_book"]
nb_execution_mode = "off"
myst_enable_extensions = ["dollarmath"]
html_title = "A book"
author = "the friends of Ada"
root_doc = "index"
"""
QUESTION = """## Check yourself

**1. Which?**

<details><summary>The <em>first</em>: <code>a&lt;b</code></summary>

Wrong, by $x^2$.

</details>
<details><summary>The second</summary>

Right, in two paragraphs.

This is the second.

</details>

After the question.

## Exercises

**1.** Find one.
"""
HIDDEN = {"tags": ["hide-cell"]}


def latex_of(folder, *cells):
    (folder / "conf.py").write_text(CONFIG)
    (folder / "index.md").write_text("# A book\n\nThe start.\n\n```{toctree}\nchapter\n```\n")
    chapter = new_notebook(cells=[new_markdown_cell("# 1. A chapter"), *cells])
    chapter.metadata = nbformat.from_dict(lesson.NOTEBOOK_METADATA)
    nbformat.write(chapter, folder / "chapter.ipynb")
    warnings = io.StringIO()
    out = folder / "out"
    with docutils_namespace():  # what a Sphinx registers would be there for the next one
        app = Sphinx(
            folder, folder, out, out, "latex", status=None, warning=warnings, freshenv=True
        )
        app.build()
    return (out / "book.tex").read_text(), warnings.getvalue()


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """The chapter, and what stands behind it."""
    tex, warnings = latex_of(
        tmp_path_factory.mktemp("book"),
        new_markdown_cell(QUESTION),
        new_code_cell("one = 1", metadata=HIDDEN),
        new_code_cell("assert one", metadata=HIDDEN),
        new_markdown_cell("**2.** Find another."),
        new_code_cell("two = 2", metadata=HIDDEN),
    )
    assert warnings == ""
    before, after = tex.split(r"\chapter{Answers and solutions}")
    return before, after


def letters(tex):
    return re.sub(r"\\PYG\{\w+\}|[{}]", "", tex)


def test_a_question_keeps_its_options(parts):
    chapter, answers = map(letters, parts)
    for option in (r"The \sphinxstyleemphasisfirst", "The second"):
        assert option in chapter
        assert option in answers
    assert chapter.index("The second") < chapter.index("After the question")


def test_explanations_stand_behind_all_chapters(parts):
    chapter, answers = parts
    for words in ("Wrong, by", "Right, in two paragraphs", "This is the second"):
        assert words not in chapter
        assert words in answers
    assert r"\section{1. A chapter}" in answers


def test_solutions_stand_behind_all_chapters(parts):
    chapter, answers = map(letters, parts)
    code = [answers.index(line) for line in ("one = ", "assert one", "two = ")]
    heads = [answers.index(f"Exercise {n}.") for n in (1, 2)]
    assert heads[0] < code[0] < code[1] < heads[1] < code[2]
    assert "two = " not in chapter


def test_the_author_begins_with_a_capital_and_stays_as_written_after_it(parts):
    assert r"\author{The friends of Ada}" in parts[0]


def test_each_question_names_a_page_that_is_labelled(parts):
    chapter, answers = parts
    named = re.findall(r"\\pageref\*\{(.*?)\}", chapter)
    assert len(named) == 3
    assert re.findall(r"\\label\{(answer:.*?)\}", answers) == named


def test_raw_html_is_not_lost_in_silence(tmp_path):
    _, warnings = latex_of(tmp_path, new_markdown_cell("<video src='x.mp4'></video>"))
    assert "raw HTML, which is lost on paper: <video src='x.mp4'>" in warnings


def test_a_wide_table_is_broken_into_lines_and_a_narrow_one_is_not(tmp_path):
    wide = "| a | b |\n|---|---|\n" + f"| {'word ' * 30} | `{'name(' * 9}` |\n"
    narrow = "| a | b |\n|---|---|\n| 1 | 2 |\n"
    tex, _ = latex_of(tmp_path, new_markdown_cell(wide), new_markdown_cell(narrow))
    columns = re.findall(r"\\X\{(\d+)\}\{(\d+)\}", tex)
    assert len(columns) == 2
    assert sum(int(width) for width, _ in columns) == int(columns[0][1])
    assert int(columns[0][0]) > int(columns[1][0]) >= len("name(")


def test_a_formula_that_a_cell_shows_fits_the_line(tmp_path):
    shown = new_output("display_data", {"text/latex": "$x + y$", "text/plain": "x + y"})
    tex, _ = latex_of(tmp_path, new_code_cell("1", outputs=[shown]))
    assert r"\shown{x + y}" in tex


def test_without_latex_one_line_says_what_to_install(tmp_path):
    run = subprocess.run(
        [sys.executable, build_pdf.__file__],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert run.stderr.count("\n") == 1
    assert run.stderr.startswith("latexmk, xelatex")
    assert "apt-get install latexmk texlive-xetex" in run.stderr

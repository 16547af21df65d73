"""Sphinx extension: the book on paper.

What folds open on the website cannot on paper. Questions keep their options; the explanations and
the solutions of exercises stand in a chapter at the end, with the number of its page where the
reader meets the question. Raw HTML has no other meaning on paper: more of it is an error.
"""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from docutils import nodes
from sphinx.addnodes import start_of_file
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

LOG = logging.getLogger(__name__)

TITLE = "Answers and solutions"
FOLD = re.compile(r"<details><summary>(.*?)</summary>|</details>|(<.*?>)", re.DOTALL)
MARKS = {"em": nodes.emphasis, "code": nodes.literal}
WORD = re.compile(r"(?:[\w\]):+*-]|\.\d)+[.,;?!/(\[=]?")  # code is broken after these signs
EXERCISE = re.compile(r"\d+\.")  # what a paragraph's bold words begin with
WORDS_ON_PAPER = r"""
\vspace*{\fill}
\noindent On paper a live figure is a picture of its first state. What a chapter asks you to try
with it needs the website or a notebook, which hold the same text.
\clearpage"""

FONTS = r"""
\setmainfont{FreeSerif}[Extension=.otf, ItalicFont=*Italic, BoldFont=*Bold,
  BoldItalicFont=*BoldItalic]
\setsansfont{FreeSans}[Extension=.otf, ItalicFont=*Oblique, BoldFont=*Bold,
  BoldItalicFont=*BoldOblique]
\setmonofont{DejaVuSansMono}[Extension=.ttf, ItalicFont=*-Oblique, BoldFont=*-Bold,
  BoldItalicFont=*-BoldOblique, Scale=0.83]
\usepackage{unicode-math}
\setmathfont{texgyretermes-math.otf}
"""

PREAMBLE = r"""
\usepackage{adjustbox}
\usepackage{newunicodechar}
\newunicodechar{ₖ}{\textsubscript{k}} % FreeSerif lacks it
\setcounter{secnumdepth}{-2} % titles bring their numbers: 5a, 5b, 5c
\setcounter{tocdepth}{1}
\addto\captionsenglish{\renewcommand{\contentsname}{Contents}}
\newcommand{\shown}[1]{\begin{center}\sbox0{$\displaystyle #1$}% a formula that a cell shows
  \ifdim\wd0<1.25\linewidth \adjustbox{max width=\linewidth}{\usebox0}%
  \else $\displaystyle #1$\fi\end{center}} % broken where a text would be
\newenvironment{sphinxVerbatimInput}{\sphinxsetup{VerbatimColor={gray}{0.95}}}{}
\newenvironment{sphinxVerbatimOutput}{}{}
\sphinxsetup{verbatimwithframe=false, verbatimhintsturnover=false, verbatimsep=4pt}
\renewcommand*\sphinxbreaksafteractivelist{\do\.\do\,\do\;\do\?\do\!\do\/\do\(\do\[\do\=}
\makeatletter % columns of a given width, ragged: words and code in them are short
\newcolumntype{\X}[2]{>{\raggedright\arraybackslash}p{\dimexpr
  (\linewidth-\spx@arrayrulewidth)*#1/#2-\tw@\tabcolsep-\spx@arrayrulewidth\relax}}
\makeatother
\hfuzz=1pt
\vfuzz=3pt
\emergencystretch=3em
"""


def for_paper(app: Sphinx, config: Config) -> None:
    """Set LaTeX up, after Jupyter Book has: its own class needs a gigabyte of fonts."""
    config.latex_engine = "xelatex"
    config.latex_theme = "manual"
    author = config.author[:1].upper() + config.author[1:]  # on the website it stands after "By"
    config.latex_documents = [(config.root_doc, "book.tex", config.html_title, author, "manual")]
    config.latex_use_xindy = False
    config.latex_domain_indices = False
    config.latex_show_urls = "no"
    config.latex_elements = {
        "papersize": "a4paper",
        "pointsize": "10pt",
        "extraclassoptions": "oneside,openany",
        "geometry": r"\usepackage[margin=22mm, top=26mm, bottom=26mm]{geometry}",
        "fncychap": "",
        "fontpkg": FONTS,
        "fvset": r"\fvset{fontsize=\fontsize{9}{11}}",  # 100 characters fill a line
        "maketitle": r"\sphinxmaketitle" + WORDS_ON_PAPER,
        "preamble": PREAMBLE,
        "makeindex": "",
        "printindex": "",
    }


class Words(HTMLParser):
    """Nodes of a line of HTML that holds emphasis and code."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[nodes.Node] = []
        self.mark: type[nodes.TextElement] | None = None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Begin emphasis or code."""
        self.mark = MARKS[tag]

    def handle_endtag(self, tag: str) -> None:
        """End it."""
        self.mark = None

    def handle_data(self, data: str) -> None:
        """Add words."""
        self.found.append(self.mark("", data) if self.mark else nodes.Text(data))


class MoveAnswers(SphinxPostTransform):
    """Move explanations and solutions to the end of the book."""

    default_priority = 10  # MyST-NB has chosen one kind of each output; nothing is hidden yet
    formats = ("latex",)

    def run(self, **_: Any) -> None:
        """Look through every chapter."""
        self.pages = 0
        first = self.document[0]
        title = first[0].astext()
        first.insert(1, nodes.raw("", rf"\chapter{{{title}}}", format="latex"))
        answers = nodes.section("", nodes.title("", TITLE), ids=["answers"])
        for chapter in self.document.findall(start_of_file):
            self.of_chapter: list[nodes.Node] = []
            folded = [node for node in chapter.findall(nodes.raw) if node["format"] == "html"]
            for parent in dict.fromkeys(node.parent for node in folded):
                parent[:] = list(self.unfolded(parent))
            for section in list(chapter.findall(nodes.section)):
                section[:] = list(self.without_solutions(section))
            if self.of_chapter:
                title = next(chapter.findall(nodes.title))
                answers += nodes.section("", title.deepcopy(), *self.of_chapter)
        chapters = next(
            node
            for node in self.document.findall(nodes.compound)
            if "toctree-wrapper" in node["classes"]
        )
        chapters += start_of_file("", answers, docname="answers")

    def unfolded(self, parent: nodes.Element) -> Iterator[nodes.Node]:
        """Yield the children of a node, with lists in the place of what folds."""
        question: nodes.Node = nodes.paragraph()
        options: list[nodes.list_item] = []
        inside = False
        for child in [*parent.children, nodes.comment()]:  # the comment ends the last question
            if isinstance(child, nodes.raw):
                for summary, other in FOLD.findall(child.astext()):
                    if other:
                        LOG.warning("raw HTML, which is lost on paper: %s", other, location=child)
                    inside = bool(summary)
                    if summary:
                        options.append(
                            nodes.list_item("", nodes.paragraph("", "", *Words(summary).found))
                        )
            elif inside:
                options[-1] += child
            else:
                if options:
                    yield from self.question(question, options)
                    options = []
                question = child
                yield child

    def question(
        self, question: nodes.Node, options: list[nodes.list_item]
    ) -> Iterator[nodes.Node]:
        """Yield the options of a question and put them with their explanations into the answers."""
        short = [nodes.list_item("", option[0].deepcopy()) for option in options]
        yield nodes.enumerated_list("", *short, enumtype="loweralpha", prefix="(", suffix=")")
        yield self.page_of("Answer")
        self.of_chapter.append(question.deepcopy())
        self.of_chapter.append(
            nodes.enumerated_list("", *options, enumtype="loweralpha", prefix="(", suffix=")")
        )

    def without_solutions(self, section: nodes.section) -> Iterator[nodes.Node]:
        """Yield the children of a section without its hidden cells."""
        exercise, solved = "", ""
        for child in section.children:
            opening = child.astext() if isinstance(child, nodes.paragraph) else ""
            if number := EXERCISE.match(opening):
                exercise = number[0]
            if isinstance(child, nodes.container) and "tag_hide-cell" in child["classes"]:
                if solved != exercise:
                    yield self.page_of("Solution")
                    words = nodes.strong("", f"Exercise {exercise}")
                    self.of_chapter.append(nodes.paragraph("", "", words))
                solved = exercise
                child["classes"].remove("tag_hide-cell")  # what has it is left out
                self.of_chapter.append(child)
            else:
                yield child

    def page_of(self, what: str) -> nodes.paragraph:
        """Return a line that names the page of what is moved next."""
        self.pages += 1
        label = f"answer:{self.pages}"
        self.of_chapter.append(nodes.raw("", rf"\phantomsection\label{{{label}}}", format="latex"))
        page = rf"\hyperref[{label}]{{page~\pageref*{{{label}}}}}"
        return nodes.paragraph("", f"{what}: ", nodes.raw("", page, format="latex"))


class FitPage(SphinxPostTransform):
    """Keep wide formulas and long tables inside the page."""

    default_priority = 20  # MyST-NB has chosen one kind of each output
    formats = ("latex",)
    line = 95  # characters
    page = 2000

    def run(self, **_: Any) -> None:
        """Look at every formula that a cell has shown, and at every table."""
        for formula in list(self.document.findall(nodes.math_block)):
            if "text_latex" in formula["classes"]:
                shown = rf"\shown{{{formula.astext()}}}"
                formula.replace_self(nodes.raw("", shown, format="latex"))
        for table in self.document.findall(nodes.table):
            rows = [[entry.astext() for entry in row] for row in table.findall(nodes.row)]
            if len(table.astext()) > self.page:
                table["classes"].append("longtable")
            if max(sum(map(len, row)) for row in rows) > self.line:
                table["classes"].append("colwidths-given")
                columns = zip(*rows, strict=True)
                for spec, width in zip(
                    table.findall(nodes.colspec), self.widths([*columns]), strict=True
                ):
                    spec["colwidth"] = width

    def widths(self, columns: list[tuple[str, ...]]) -> list[int]:
        """Return the characters for each column: its longest word, and a share of the rest."""
        words = [
            max(len(word) for cell in column for word in WORD.findall(cell)) + 2
            for column in columns
        ]
        texts = [sum(map(len, column)) for column in columns]
        rest = max(0, self.line - sum(words))
        return [
            word + round(rest * text / sum(texts)) for word, text in zip(words, texts, strict=True)
        ]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what paper needs."""
    app.setup_extension("sphinxcontrib.rsvgconverter")
    app.connect("config-inited", for_paper, priority=900)
    app.add_post_transform(MoveAnswers)
    app.add_post_transform(FitPage)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

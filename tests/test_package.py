"""What holds for the package as a whole: its names, its docstrings, the cost of importing it."""

import ast
import doctest
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import posenc

PACKAGE = Path(posenc.__file__).parent
FUNCTIONS = [name for name in posenc.__all__ if inspect.isfunction(getattr(posenc, name))]

# Lessons, notebooks of readers and other people's code use these: a name is kept for good.
PROMISED = """
inv_freq wavelengths turns sinusoidal shift_matrix lookup resize positions_from_mask
relative_positions shaw_index t5_bucket t5_bias alibi_slopes alibi_bias
rope_cos_sin apply_rope rotation_matrix to_half to_interleaved
linear ntk_base dynamic_ntk_base yarn yarn_attention_factor llama3 longrope
longrope_attention_factor from_config diagnose
Scheme none sinusoidal_scheme learned_scheme rope_scheme alibi_scheme t5_scheme shaw_scheme scores
softmax causal_mask attention score_terms anchor_spread relativity requirements
check identities palette
"""

HEAVY = {"sympy", "mpmath", "matplotlib", "IPython", "anywidget", "ipywidgets", "scipy", "torch"}

IMPORT = """
import sys, time
start = time.perf_counter()
import numpy
middle = time.perf_counter()
import posenc
end = time.perf_counter()
print((end - middle) / (middle - start), *sorted({name.partition(".")[0] for name in sys.modules}))
"""


def fresh_import():
    """Return the time that posenc adds, in units of numpy's own, and what was loaded."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORT],
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    ratio, *modules = done.stdout.split()
    return float(ratio), set(modules)


def test_promised_names_are_public():
    assert set(PROMISED.split()) <= set(posenc.__all__)


def test_public_names_are_listed_once_and_exist():
    assert len(set(posenc.__all__)) == len(posenc.__all__)
    for name in posenc.__all__:
        assert getattr(posenc, name) is not None


def test_no_module_has_the_name_of_a_function():
    modules = {path.stem for path in PACKAGE.glob("*.py")}
    for name in modules & set(posenc.__all__):
        assert inspect.ismodule(getattr(posenc, name)), name


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstring_has_a_sentence_and_a_doctest(name):
    doc = getattr(posenc, name).__doc__
    first, _, rest = doc.partition("\n")
    assert first.endswith(".")
    assert rest.startswith("\n")
    assert ">>> " in doc


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signature_is_typed(name):
    signature = inspect.signature(getattr(posenc, name))
    assert signature.return_annotation is not signature.empty
    for parameter in signature.parameters.values():
        assert parameter.annotation is not parameter.empty


def test_importing_loads_nothing_heavy():
    _, modules = fresh_import()
    assert "posenc" in modules
    assert modules & HEAVY == set()


def test_importing_costs_less_than_importing_numpy():
    assert min(fresh_import()[0] for _ in range(3)) < 1


def test_the_readme_prints_what_it_says():
    words = (PACKAGE.parent / "README.md").read_text().replace("```", "")
    examples = doctest.DocTestParser().get_doctest(words, {}, "README.md", None, 0)
    assert examples.examples
    assert not doctest.DocTestRunner().run(examples).failed


def test_only_numpy_is_imported_at_the_top_of_a_module():
    allowed = {"numpy", "posenc"} | sys.stdlib_module_names
    for path in PACKAGE.glob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Import):
                imported = {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported = {node.module}
            else:
                continue
            assert {name.partition(".")[0] for name in imported} <= allowed, path.name


def test_every_module_says_what_is_public():
    for path in PACKAGE.glob("*.py"):
        if path.stem not in {"__init__", "__main__", "validate", "pairs"}:
            module = importlib.import_module(f"posenc.{path.stem}")
            assert module.__all__, path.name

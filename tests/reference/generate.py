"""Write tests/golden/reference.json: ``python -m tests.reference.generate``.

Every number is the float64 nearest to the value at 50 digits; arguments stand beside the results.
"""

import json
from pathlib import Path

from tests.reference import formulas

PATH = Path(__file__).parents[1] / "golden" / "reference.json"

# Near the start, far out on both sides, and three stretches that a test can cover row by row.
POSITIONS = [
    *(-10_000_000, -9_999_999.75, -1_234_567, -4096, -257.125, -1, -0.5),
    *(0, 1, 2, 3, 12, 255, 256, 257, 1000, 2047, 4095),
    *(0.1, 333.3, 8190.5, 65_537.625, 131_071, 1_048_577, 7_654_321.9),
    *(9_996_000, 9_997_919, 9_998_336, 9_999_001, 9_999_999, 10_000_000),
]
WIDTHS = [(2, 10), (4, 10_000), (6, 100), (16, 10_000), (64, 10_000), (128, 500_000)]
WIDTHS += [(254, 1000), (256, 10_000_000)]
YARN = [  # dim, factor, original length, base, beta_fast, beta_slow, truncate
    (128, 16, 4096, 10_000, 32, 1, True),
    (128, 4, 32_768, 1_000_000, 32, 1, True),
    (64, 32, 4096, 150_000, 32, 1, False),
    (64, 40, 4096, 10_000, 32, 1, True),
    (32, 2.5, 512, 10_000, 16.5, 1.5, True),
    (16, 8, 1_000_000, 100, 32, 1, False),
    (16, 8, 1_000_000, 100, 2048, 1, True),
    (64, 4, 128, 10_000, 32, 1, True),
    (96, 1, 2048, 10_000, 32, 1, True),
]
LLAMA3 = [  # dim, base, factor, low_freq_factor, high_freq_factor, original length
    (128, 500_000, 8, 1, 4, 8192),
    (64, 500_000, 32, 1, 4, 8192),
    (256, 1_000_000, 3.5, 0.5, 7.25, 2048),
]
T5 = [(True, 32, 128), (False, 32, 128), (True, 16, 64), (False, 12, 100), (True, 32, 1000)]
RELATIVE = [*range(-140, 141), -1001, -1000, -999, -812, -631, -500, 500, 631, 812, 999, 1000]


def _sample(count):
    """Return up to nine pairs of ``count``, the first and the last among them."""
    return sorted({round(i * (count - 1) / 8) for i in range(9)})


def _vector(dim, seed):
    """Return quarters between -5 and 5: exact in every floating type."""
    return [((7 * j + 5 * seed) % 41 - 20) / 4 for j in range(dim)]


def _floats(values):
    return [float(value) for value in values]


def _frequencies():
    for dim, base in [*WIDTHS, (8, 10_000.5), (32, 1.5), (130, 20_221.3)]:
        yield {"dim": dim, "base": base, "expected": _floats(formulas.frequencies(dim, base))}


def _cosines(freqs, pairs):
    turned = [[formulas.turn(p, freqs[i]) for i in pairs] for p in POSITIONS]
    return {
        "cos": [_floats(cos for cos, _ in row) for row in turned],
        "sin": [_floats(sin for _, sin in row) for row in turned],
    }


def _tables():
    for dim, base in WIDTHS:
        freqs, pairs = formulas.frequencies(dim, base), _sample(dim // 2)
        yield dict(dim=dim, base=base, pairs=pairs, **_cosines(freqs, pairs))


def _given_frequencies():
    """Frequencies that are float64 numbers by themselves, not a formula's rounded values."""
    given = [1.0, 0.7071067811865476, 0.1, 1 / 3, 0.01, 1.2409e-6, 3.0517578125e-05]
    yield dict(inv_freq=given, **_cosines(given, range(len(given))))


def _rotations():
    for dim, turned, base in [(2, 2, 10), (4, 4, 10_000), (8, 4, 10_000), (64, 64, 500_000)]:
        inv_freq = _floats(formulas.frequencies(turned, base))
        positions = [-10_000_000, -17, 0, 1, 4095.5, 9_999_999]
        x = [_vector(dim, seed) for seed in range(len(positions))]
        for layout in ("half", "interleaved"):
            rows = [
                formulas.rotate(v, p, inv_freq, layout) for v, p in zip(x, positions, strict=True)
            ]
            expected = [_floats(row) for row in rows]
            yield {
                "layout": layout,
                "inv_freq": inv_freq,
                "positions": positions,
                "x": x,
                "expected": expected,
            }


def _slopes():
    for heads in [*range(1, 26), 32, 40, 48, 64, 96, 112]:
        yield {"num_heads": heads, "expected": _floats(formulas.alibi_slopes(heads))}


def _biases():
    for heads, q_len, k_len in [(3, 4, 4), (12, 1, 5), (2, 3, 7)]:
        bias = formulas.alibi_bias(heads, q_len, k_len)
        expected = [[_floats(row) for row in head] for head in bias]
        yield {"num_heads": heads, "q_len": q_len, "k_len": k_len, "expected": expected}


def _buckets():
    for bidirectional, num_buckets, max_distance in T5:
        expected = [
            formulas.t5_bucket(relative, bidirectional, num_buckets, max_distance)
            for relative in RELATIVE
        ]
        yield {
            "bidirectional": bidirectional,
            "num_buckets": num_buckets,
            "max_distance": max_distance,
            "expected": expected,
        }


def _bases():
    for base, dim, factor in [(10_000, 128, s) for s in (1, 2, 4, 8, 16, 32)] + [(500, 6, 2.75)]:
        expected = float(formulas.ntk_base(base, dim, factor))
        yield {"base": base, "dim": dim, "factor": factor, "expected": expected}


def _dynamic_bases():
    for base, dim, factor, seq_len, trained in [
        (10_000, 128, 2, 4096, 4096),
        (10_000, 128, 2, 8192, 4096),
        (10_000, 128, 2, 1, 4096),
        (10_000, 64, 1, 9000, 2048),
        (500_000, 80, 3.5, 20_001, 2048),
    ]:
        expected = float(formulas.dynamic_ntk_base(base, dim, factor, seq_len, trained))
        arguments = {"base": base, "dim": dim, "factor": factor, "seq_len": seq_len}
        yield dict(**arguments, max_position_embeddings=trained, expected=expected)


def _yarn():
    names = ("dim", "factor", "original_max_position_embeddings")
    names += ("base", "beta_fast", "beta_slow", "truncate")
    for case in YARN:
        arguments = dict(zip(names, case, strict=True))
        yield {**arguments, "expected": _floats(formulas.yarn(*case))}


def _temperatures():
    for factor in (1, 1.5, 4, 16, 40):
        yield {"factor": factor, "expected": float(formulas.yarn_temperature(factor))}
    for factor, mscale, all_dim in [(40, 1, 1), (40, 0.707, 1.0), (16, 1.5, 0.25), (1, 0.7, 1)]:
        top = formulas.yarn_temperature(factor, mscale)
        expected = float(top / formulas.yarn_temperature(factor, all_dim))
        yield {"factor": factor, "mscale": mscale, "mscale_all_dim": all_dim, "expected": expected}


def _llama3():
    names = ("dim", "base", "factor", "low_freq_factor", "high_freq_factor")
    for case in LLAMA3:
        arguments = dict(zip((*names, "original_max_position_embeddings"), case, strict=True))
        yield dict(**arguments, expected=_floats(formulas.llama3(*case)))


def _longrope_factors():
    for factor, trained in [(32, 4096), (1, 4096), (16, 8192), (4, 2048), (2.5, 1000)]:
        expected = float(formulas.longrope_attention_factor(factor, trained))
        yield {"factor": factor, "original_max_position_embeddings": trained, "expected": expected}


SECTIONS = {
    "inv_freq": _frequencies,
    "tables": _tables,
    "cos_sin": _given_frequencies,
    "rotations": _rotations,
    "alibi_slopes": _slopes,
    "alibi_bias": _biases,
    "t5_bucket": _buckets,
    "ntk_base": _bases,
    "dynamic_ntk_base": _dynamic_bases,
    "yarn": _yarn,
    "yarn_attention_factor": _temperatures,
    "llama3": _llama3,
    "longrope_attention_factor": _longrope_factors,
}


def build():
    """Return the whole reference as plain lists and numbers."""
    about = "Made by tests/reference/generate.py: mpmath at 50 digits, rounded to float64."
    document = {"_about": about, "positions": POSITIONS, "relative": RELATIVE}
    return document | {name: list(cases()) for name, cases in SECTIONS.items()}


def text():
    """Return the file's text: one case a line, so that a change can be read."""
    lines = []
    for name, value in build().items():
        if name in SECTIONS:
            cases = ",\n  ".join(json.dumps(case) for case in value)
            lines.append(f'"{name}": [\n  {cases}\n ]')
        else:
            lines.append(f'"{name}": {json.dumps(value)}')
    return "{" + ",\n ".join(lines) + "}\n"


if __name__ == "__main__":
    PATH.write_text(text())

"""Results of the form that ``experiments`` writes, with numbers made up."""

import numpy as np

SCHEMES = {
    "none": (2.31, 0.06),
    "sinusoidal": (1.99, 0.40),
    "learned": (2.12, 0.30),
    "alibi": (2.00, 0.0),
    "t5_32": (1.97, 0.08),
    "t5_128": (1.98, 0.17),
    "rope": (1.90, 0.45),
}
METHODS = {
    "none": 0.45,
    "linear": 0.7,
    "ntk": 0.2,
    "ntk, factor 2.5 times": 0.1,
    "yarn": 0.6,
    "yarn, ramp in turns": 0.3,
}
BINS = [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, *range(64, 513, 32)]


def trained(experiment):
    """Return one experiment, as ``posenc.trained`` does."""
    rng = np.random.default_rng(3)

    def seeds(value):
        return [float(f"{x:.5g}") for x in value + 0.02 * rng.normal(size=5)]

    def losses(start, growth, multiples=(1, 2, 4, 8)):
        by_length = {
            kind: {str(n): seeds(start + scale * growth * np.log2(n)) for n in multiples}
            for kind, scale in (("mean", 1), ("tail", 1.3))
        }
        middles = np.array(BINS[:-1]) + 1
        beyond = np.log2(np.maximum(1, middles / 64))
        position = start + 1.5 / middles + growth * beyond
        return {**by_length, "by_position": np.transpose([seeds(x) for x in position]).tolist()}

    match experiment:
        case "length":
            return {
                name: {**losses(*how), "windowed": losses(how[0], 0.0, (8,))}
                for name, how in SCHEMES.items()
            }
        case "stretch":
            return {name: losses(1.95, growth, (2, 4, 8)) for name, growth in METHODS.items()}
        case "tuned":
            return {
                name: {steps: losses(1.9, growth / 9, (4, 8)) for steps in ("30", "100")}
                for name, growth in METHODS.items()
                if name not in {"yarn, ramp in turns", "ntk, factor 2.5 times"}
            }
        case "setup":
            return {
                "length": {"length": 64, "tail": 16, "bins": BINS},
                "seeds": list(range(5)),
                "corpus": {"unigram_entropy": 3.316},
            }
    raise AssertionError(experiment)

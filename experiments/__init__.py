"""How the trained results of the book were made. Start with README.md.

One thread: these models are too small for two, and several threads on a busy machine wait for each
other. The settings work only before JAX is imported.
"""

import os

for name, value in {
    "JAX_PLATFORMS": "cpu",
    "NPROC": "1",
    "OMP_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
}.items():
    os.environ.setdefault(name, value)

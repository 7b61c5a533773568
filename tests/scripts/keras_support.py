"""What the tests of Keras's files share: Keras itself, the converter, the comparison.

    SCRIPT ASSAY DEPS

Keras computes with NumPy, and JAX below it for convolutions; both are those of the backends keras and jax in DEPS.
Where they are not installed the test is skipped (exit status 77).
"""

import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = 77
CLOSE = 2e-5  # of the largest number, and of the number itself


def find_sites(deps):
    """The folders of Keras and JAX, as the backends have them; the newest versions."""
    sites = []
    for name in ("keras", "jax"):
        found = glob.glob(os.path.join(deps, "backends", name, "*", "site"))
        if not found:
            print(f"skipped: the backend {name} is not installed")
            sys.exit(SKIPPED)
        sites.append(max(found, key=lambda p: [int(n) for n in re.findall(r"\d+", p.split(os.sep)[-2])]))
    return sites


ASSAY, DEPS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
os.environ.update(KERAS_BACKEND="numpy", JAX_PLATFORMS="cpu", OMP_NUM_THREADS="1", TF_CPP_MIN_LOG_LEVEL="3",
                  ASSAY_DEPS=DEPS)
sys.path[:0] = [os.path.join(ROOT, "workers", "python"), *find_sites(DEPS)]

import keras  # noqa: E402
import numpy as np  # noqa: E402

import keras_to_math  # noqa: E402,F401
import keras_to_onnx  # noqa: E402,F401


def close(expected, got):
    """What is different, or None."""
    if expected.shape != got.shape:
        return f"shape {got.shape}, expected {expected.shape}"
    far = np.abs(expected.astype(np.float64) - got)
    limit = CLOSE * (np.abs(expected) + np.max(np.abs(expected), initial=0) + 1e-3)
    if np.all(far <= limit):
        return None
    worst = np.unravel_index(np.argmax(far - limit), far.shape)
    return f"{got[worst]} at {tuple(map(int, worst))}, expected {expected[worst]}"

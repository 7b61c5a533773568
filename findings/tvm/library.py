"""Apache TVM's Python package, and what claims about it share."""

import os
import sys

os.environ.setdefault("TVM_NUM_THREADS", "1")
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import Died, Hung, Refused, array, feeds, model, right, verdict, wrong  # noqa: E402,F401

sys.path.pop(0)  # TVM looks for torch, and would take the folder of that name for it

import numpy as np  # noqa: E402
import tvm  # noqa: E402
from tvm import relax  # noqa: E402
from tvm.relax.frontend.onnx import from_onnx  # noqa: E402


def run(m, *values):
    """All outputs of the model behind TVM's own importer and compiler."""
    program = tvm.compile(from_onnx(m, keep_params_in_input=False), target="llvm")
    found = relax.VirtualMachine(program, tvm.cpu())["main"](
        *(tvm.runtime.tensor(np.array(v, order="C")) for v in feeds(m, values).values()))
    found = [found] if hasattr(found, "numpy") else list(found)
    return [v.numpy() for v in found]


def call(text, *values, **options):
    """A call that runs the graph in ONNX's text."""
    m = model(text, **options)
    return lambda: run(m, *values)

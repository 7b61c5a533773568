"""tract's Python package, and what claims about it share."""

import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import Died, Hung, Refused, array, feeds, model, right, verdict, wrong  # noqa: E402,F401

import tract  # noqa: E402


def run(m, *values):
    """All outputs of the optimized model."""
    with tempfile.NamedTemporaryFile(suffix=".onnx") as f:
        f.write(m.SerializeToString())
        f.flush()
        onnx = tract.onnx()
        if hasattr(onnx, "load"):
            runnable = onnx.load(f.name).into_model().into_runnable()
        else:  # before 0.23
            runnable = onnx.model_for_path(f.name).into_optimized().into_runnable()
    return [t.to_numpy() for t in runnable.run(list(feeds(m, values).values()))]


def unchecked(text, *values, **options):
    """A call that runs a graph in ONNX's text that may break a rule: it is not checked, and its output has no shape."""
    m = model(text, check=False, **options)
    m.graph.output[0].type.tensor_type.ClearField("shape")
    return lambda: run(m, *values)

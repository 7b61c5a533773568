"""tinygrad's Python package with its interpreter, and what claims about it share."""

import os
import sys
import tempfile

os.environ.setdefault("DEV", "PYTHON")
os.environ.setdefault("PYTHON", "1")
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import Died, Hung, Refused, array, feeds, model, right, verdict, wrong  # noqa: E402,F401

from tinygrad import Tensor  # noqa: E402

try:
    from tinygrad.nn.onnx import OnnxRunner  # noqa: E402
except ImportError:  # before 0.12
    from tinygrad.frontend.onnx import OnnxRunner  # noqa: E402


def run(m, *values):
    """All outputs of the model, which is read from a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.onnx")
        with open(path, "wb") as f:
            f.write(m.SerializeToString())
        found = OnnxRunner(path)({name: Tensor(value) for name, value in feeds(m, values).items()})
        return [found[o.name].numpy() for o in m.graph.output]


def call(text, *values, **options):
    """A call that runs the graph in ONNX's text."""
    m = model(text, **options)
    return lambda: run(m, *values)

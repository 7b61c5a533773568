"""MNN's Python package, and what claims about it share."""

import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import Died, Hung, Refused, array, feeds, model, right, verdict, wrong  # noqa: E402,F401

import _tools  # noqa: E402  of the same package: MNN.tools would install more packages
import MNN  # noqa: E402
import numpy as np  # noqa: E402

# malloc fills what it hands out with the complement of 170, also what it hands out again
FILLED = "glibc.malloc.perturb=170:glibc.malloc.tcache_count=0"
KINDS = {"float32": MNN.expr.float, "int32": MNN.expr.int, "uint8": MNN.expr.uint8, "int8": MNN.expr.int8}
NARROW = {"bool": np.int32, "int64": np.int32}  # MNN has neither


def filled_memory():
    """Goes on in a new process, whose memory is never zero by chance: the C library (glibc) reads this at its start."""
    if os.environ.get("GLIBC_TUNABLES") != FILLED:
        os.environ["GLIBC_TUNABLES"] = FILLED
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def placeholder(value):
    value = np.ascontiguousarray(value.astype(NARROW.get(value.dtype.name, value.dtype)))
    made = MNN.expr.placeholder(list(value.shape), MNN.expr.NCHW, KINDS[value.dtype.name])
    made.write(value)
    return made


def taken(value):
    if value.data_format == MNN.expr.NC4HW4:
        value = MNN.expr.convert(value, MNN.expr.NCHW)
    shape = tuple(value.shape)
    return np.zeros(shape, np.float32) if 0 in shape else np.array(value.read()).reshape(shape)


def run(m, *values):
    """All outputs of the model behind MNN's own converter, on one thread in high precision."""
    given = feeds(m, values)
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "m.onnx"), os.path.join(folder, "m.mnn")
        with open(source, "wb") as f:
            f.write(m.SerializeToString())
        _tools.mnnconvert(["mnnconvert", "-f", "ONNX", "--modelFile", source, "--MNNModel", target, "--bizCode",
                           "claim",
                           "--alignDenormalizedValue", "0", "--useGeluApproximation", "0"])
        if not os.path.exists(target):
            raise ValueError("the converter wrote no model")
        module = MNN.nn.load_module_from_file(target, list(given), [o.name for o in m.graph.output],
                                              backend=MNN.expr.Backend.CPU, thread_num=1,
                                              precision_mode=MNN.expr.PrecisionMode.High)
        found = module.forward([placeholder(v) for v in given.values()])
        if not found:
            raise ValueError("no outputs")
        return [taken(v) for v in found]


def call(text, *values, **options):
    """A call that runs the graph in ONNX's text."""
    m = model(text, **options)
    return lambda: run(m, *values)

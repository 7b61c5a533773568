"""CNTK's Python package, and what claims about it share.

CNTK wants Open MPI, of which one machine calls nothing: where it is not here, libraries with its names stand in for it,
made with the compiler cc and the program nm.
"""

import ctypes
import glob
import os
import re
import subprocess
import sys
import tempfile
import warnings

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
warnings.simplefilter("ignore")

from common import Died, Hung, Refused, array, right, verdict, wrong  # noqa: E402,F401

import numpy as np  # noqa: E402
import onnx  # noqa: E402
from onnx import helper  # noqa: E402


def stand_in_for_mpi():
    package = os.path.join(os.path.dirname(os.path.dirname(np.__file__)), "cntk")
    libraries = glob.glob(os.path.join(package, "libs", "libCntk*.so"))
    libraries += glob.glob(os.path.join(package, "_cntk_py*.so"))
    text = subprocess.check_output(["nm", "-D", "--undefined-only"] + libraries).decode()
    names = sorted(set(re.findall(r" U ((?:MPI_|ompi_|_ZN3MPI)\w+)", text)))
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "names.c")
        with open(source, "w") as f:
            f.write("".join("char %s[1024];\n" % name for name in names))
        for name in ("libmpi.so.12", "libmpi_cxx.so.1"):
            path = os.path.join(folder, name)
            subprocess.check_call(["cc", "-shared", "-fPIC", "-Wl,-soname," + name, "-o", path, source])
            ctypes.CDLL(path, ctypes.RTLD_GLOBAL)


try:
    ctypes.CDLL("libmpi_cxx.so.1", ctypes.RTLD_GLOBAL)
except OSError:
    stand_in_for_mpi()

import cntk  # noqa: E402

FLOAT = onnx.TensorProto.FLOAT


def node(op, x, shape, w=None, **attributes):
    """A call that runs a model of one operator of opset 9; w is a constant second input."""
    x = np.asarray(x, np.float32)
    given = [] if w is None else [helper.make_tensor("w", FLOAT, w.shape, w.ravel())]
    names = ["x"] + [g.name for g in given]
    inputs = [helper.make_tensor_value_info("x", FLOAT, x.shape)]
    inputs += [helper.make_tensor_value_info(g.name, FLOAT, g.dims) for g in given]
    graph = helper.make_graph([helper.make_node(op, names, ["y"], name="n", **attributes)], "g", inputs,
                              [helper.make_tensor_value_info("y", FLOAT, shape)], given)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 9)])
    model.ir_version = 3

    def call():
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.onnx")
            onnx.save(model, path)
            function = cntk.Function.load(path, format=cntk.ModelFormat.ONNX)
        return np.asarray(function.eval({function.arguments[0]: x})).astype(np.float32)
    return call

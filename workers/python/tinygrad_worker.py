"""tinygrad as a backend: it reads ONNX itself, and computes with its interpreter in Python (DEV=PYTHON) or with code
that clang compiles (DEV=CPU).

The first graph of a process takes seconds: rewriting rules are compiled when they are first used.  One small model is
therefore run before the first copy of the process is made.  Constants that a model takes as inputs (axes, shapes) are
kept by name from run to run, which tinygrad's source says of itself; they are forgotten before each run here.
The interpreter is for looking at kernels, not for speed: what takes it longer than PATIENCE is unsupported, not a hang.
Installed: site/ with tinygrad and numpy.
"""

import os
import re
import signal
import warnings

import numpy as np

import onnx_types
from worker_types import Rejected, Unsupported
from converted import Model
from values import to_numpy

TYPES = {"float32", "float16", "float64", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
         "uint64"}
PATIENCE = 20  # seconds of processor time, so that a busy machine changes no answer; a case has 30 by the clock

# What it says of what it does not have; Pillow, which its ImageDecoder wants, is not installed with it.
# A domain, or an attribute that a later opset brought, is an argument that its function does not take.
LACKS = re.compile(r"not supported|is not a valid OnnxDataType|is not a valid Domain|unsupported|must be installed|"
                   r"got an unexpected keyword argument|invalid coordinate_transformation_mode", re.IGNORECASE)


class Session:
    pass


class Backend:
    library = "tinygrad"

    def open(self, folder, options):
        from tinygrad import Tensor  # DEV in the environment names the device

        warnings.simplefilter("ignore")  # of types that an input has and the model does not
        self.runner = self._reader()
        _warm(Tensor)
        return _version()

    @staticmethod
    def _reader():
        try:
            from tinygrad.nn.onnx import OnnxRunner
        except ImportError:  # before 0.12
            from tinygrad.frontend.onnx import OnnxRunner
        return OnnxRunner

    def load(self, model, options, outputs):
        session = Session()
        session.model = Model(model, outputs)
        unknown = [n for n, code in session.model.types.items() if onnx_types.NAMES.get(code, "float32") not in TYPES]
        try:
            if unknown:
                raise Unsupported(f"'{unknown[0]}' is of a type that it does not have")
            session.runner = self._call(lambda: self.runner(session.model.path))
        finally:
            session.model.remove()
        return session

    def outputs(self, session):
        return session.model.outputs

    def run(self, session, inputs, names):
        given = {name: to_numpy(value) for name, value in inputs.items()}
        for name, array in given.items():
            if not isinstance(array, np.ndarray) or array.dtype.name not in TYPES:
                raise Unsupported(f"input '{name}' of a type that it does not have")
        getattr(session.runner, "_python_const_cache", {}).clear()
        results = self._call(lambda: _patiently(lambda: _computed(session.runner(given), names)))
        missing = [name for name, value in zip(names, results) if value is None]
        if missing:
            raise Rejected(f"it gave no output '{missing[0]}'")
        return results

    @staticmethod
    def _call(function):
        """What it does not have is a NotImplementedError; whatever else it raises is a refusal."""
        try:
            return function()
        except (Unsupported, MemoryError):
            raise
        except NotImplementedError as e:
            raise Unsupported(str(e) or "not implemented") from None
        except Exception as e:  # it asserts, and indexes what is not there
            text = " ".join(str(e).split())
            if LACKS.search(text):
                raise Unsupported(text) from None
            raise Rejected(f"{type(e).__name__}: {text}") from None


def _give_up(number, frame):
    raise Unsupported(f"its interpreter in Python takes longer than {PATIENCE} s")


def _patiently(function):
    """What a function gives; with the interpreter, within PATIENCE."""
    if os.environ.get("DEV") != "PYTHON":
        return function()
    signal.signal(signal.SIGPROF, _give_up)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        return function()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _computed(results, names):
    """Arrays of the outputs: nothing is computed before it is asked for."""
    arrays = []
    for name in names:
        value = results.get(name)
        if isinstance(value, list):
            raise Unsupported(f"output '{name}' is not a tensor")
        # Size comes as a number of Python, which stands for an int64.
        arrays.append(None if value is None else np.asarray(value.numpy() if hasattr(value, "numpy") else value))
    return arrays


def _version():
    from importlib.metadata import version

    return version("tinygrad")


def _warm(tensor):
    x = tensor(np.ones((1, 2, 4, 4), np.float32))
    w = tensor(np.ones((2, 2, 3, 3), np.float32))
    x.conv2d(w).relu().softmax(axis=1).numpy()
    (x.reshape(2, 16) @ tensor(np.ones((16, 3), np.float32))).argmax(axis=1).numpy()

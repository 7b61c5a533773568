"""rten as a backend: a runtime in Rust that reads ONNX itself, behind C functions (src/backends/rten/shim.rs).

It has float32, int32, int8 and uint8.  Its reader makes int32 of int64 and bool, as its documentation says, so that
inputs and outputs of these types are converted here; what does not fit is unsupported.  A panic ends the process.
Installed: lib/libassay_rten.so, site/ with numpy.
"""

import ctypes
import os
import re

import numpy as np

import converted
import onnx_types
from values import to_numpy
from worker_types import Rejected, Unsupported

# ONNX's number of a type: the array's
TYPES = {1: np.dtype(np.float32), 2: np.dtype(np.uint8), 3: np.dtype(np.int8), 6: np.dtype(np.int32)}
CODES = {dtype: code for code, dtype in TYPES.items()}

# What it says of what it does not have, at loading and at running.
LACKS = re.compile(r"unsupported|not supported|not available|not implemented|must have 4 dims|"  # 3-D convolution
                   r"expected tensor with type|has 5 dims|inputs but maximum is|and later are supported", re.IGNORECASE)


class Tensor(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("dtype", ctypes.c_int32), ("rank", ctypes.c_uint32),
                ("dims", ctypes.POINTER(ctypes.c_size_t)), ("data", ctypes.c_void_p)]


class Session:
    pass


def _input(value, name):
    array = to_numpy(value)
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiub":
        raise Unsupported(f"input '{name}' is not a tensor of numbers")
    if array.dtype != np.int8:
        array = converted.narrowed(array, name)
    if array.dtype not in CODES:
        raise Unsupported(f"input '{name}' of type {array.dtype.name}")
    return np.array(array, order="C")


class Backend:
    library = "rten"

    def open(self, folder, options):
        path = folder if os.path.isfile(folder) else os.path.join(folder, "lib", "libassay_rten.so")
        shim = ctypes.CDLL(path)
        shim.shim_version.restype = shim.shim_error.restype = ctypes.c_char_p
        shim.shim_load.restype = shim.shim_run.restype = ctypes.c_void_p
        shim.shim_load.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int32]
        shim.shim_run.argtypes = [ctypes.c_void_p, ctypes.POINTER(Tensor), ctypes.c_size_t,
                                  ctypes.POINTER(ctypes.c_char_p), ctypes.c_size_t]
        shim.shim_output.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(Tensor)]
        shim.shim_unload.argtypes = shim.shim_free.argtypes = [ctypes.c_void_p]
        shim.shim_output.restype = shim.shim_unload.restype = shim.shim_free.restype = None
        self.shim = shim
        return shim.shim_version().decode()

    def _refuse(self):
        text = " ".join(self.shim.shim_error().decode("utf-8", "replace").split())
        raise (Unsupported if LACKS.search(text) else Rejected)(text)

    def load(self, model, options, outputs):
        session = Session()
        session.model = converted.Model(model, outputs)
        with open(session.model.path, "rb") as f:
            data = f.read()
        session.model.remove()
        for name, code in session.model.types.items():
            kind = onnx_types.NAMES.get(code, "float32")
            if kind != "int8" and kind not in converted.NARROW:
                raise Unsupported(f"'{name}' is of type {kind}, which it does not have")
        session.handle = self.shim.shim_load(data, len(data), int(options.get("optimize", "1")))
        if not session.handle:
            self._refuse()
        return session

    def unload(self, session):
        self.shim.shim_unload(session.handle)

    def outputs(self, session):
        return session.model.outputs

    def run(self, session, inputs, names):
        arrays = {name: _input(value, name) for name, value in inputs.items()}
        given = (Tensor * len(arrays))()
        for t, (name, a) in zip(given, arrays.items()):
            t.name, t.dtype, t.rank = name.encode(), CODES[a.dtype], a.ndim
            t.dims, t.data = (ctypes.c_size_t * a.ndim)(*a.shape), a.ctypes.data
        wanted = (ctypes.c_char_p * len(names))(*(name.encode() for name in names))
        results = self.shim.shim_run(session.handle, given, len(given), wanted, len(names))
        if not results:
            self._refuse()
        try:
            return [self._output(results, i, name, session) for i, name in enumerate(names)]
        finally:
            self.shim.shim_free(results)

    def _output(self, results, i, name, session):
        t = Tensor()
        self.shim.shim_output(results, i, ctypes.byref(t))
        shape = tuple(t.dims[k] for k in range(t.rank))
        dtype = TYPES[t.dtype]
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        array = np.frombuffer(ctypes.string_at(t.data, size) if size else b"", dtype).reshape(shape)
        code = session.model.types.get(name, 0)
        return array if dtype.name == onnx_types.NAMES.get(code) else converted.widened(array, code, name)

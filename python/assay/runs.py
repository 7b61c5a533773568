"""run(): a model once, on one backend."""
import array
import ast
import math
import os
import struct
import tempfile
import zipfile
from dataclasses import dataclass
from typing import Tuple

from .given import given_words
from .program import Error, call

# NumPy's names of element types, and the standard library's; "e" (half precision) only struct has
CODES = {"f4": "f", "f8": "d", "f2": "e", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I",
         "u8": "Q", "b1": "?"}


@dataclass(frozen=True)
class Tensor:
    """One output.  numpy.asarray(tensor) is an array of it; without NumPy, tolist() has its elements, flat."""
    name: str
    dtype: str  # as NumPy writes it: "<f4"
    shape: Tuple[int, ...]
    data: bytes

    @property
    def __array_interface__(self):
        return {"version": 3, "shape": self.shape, "typestr": self.dtype, "data": self.data}

    def tolist(self):
        code = CODES.get(self.dtype[1:])
        if not code:
            raise Error(f"output '{self.name}' has elements of type '{self.dtype}', which Python has not")
        if code in array.typecodes:
            return array.array(code, self.data).tolist()
        return [value for value, in struct.iter_unpack("<" + code, self.data)]


def read_npy(name, content):
    """An .npy file; docs of NumPy's `lib.format` describe it."""
    if content[:6] != b"\x93NUMPY":
        raise Error(f"output '{name}': not an .npy file")
    size, at = (struct.unpack_from("<H", content, 8)[0], 10) if content[6] == 1 else (
        struct.unpack_from("<I", content, 8)[0], 12)
    head = ast.literal_eval(content[at:at + size].decode("latin-1").strip())
    data = content[at + size:]
    if head["fortran_order"] and math.prod(head["shape"]) > 1:
        raise Error(f"output '{name}': columns first, which assay does not write")
    return Tensor(name, head["descr"], tuple(head["shape"]), data)


def run(model, backend="reference", *, inputs=None, dims=None, seed=0, more=()):
    """Runs a model once: {name of an output: Tensor}.  The arguments are those of check()."""
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        target = os.path.join(folder, "outputs.npz")
        call("run", *given_words(model, inputs, dims, folder), "-b", backend, "--seed", seed, "-o", target, *more)
        with zipfile.ZipFile(target) as archive:
            return {name[:-len(".npy")]: read_npy(name[:-len(".npy")], archive.read(name))
                    for name in archive.namelist()}

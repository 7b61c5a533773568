"""Values of the protocol as numpy arrays, and back; and what a library was told, for scripts without assay."""

import os

import numpy as np

import onnx_types
from worker_types import CODES, Optional, Sequence, Tensor, Unsupported


def to_numpy(value):
    """A Tensor as an array of its own (the protocol's memory is used again), sequences and optionals of such."""
    if isinstance(value, Optional):
        return Optional(None if value.value is None else to_numpy(value.value))
    if isinstance(value, list):
        return Sequence([to_numpy(v) for v in value], value.dtype)
    if value.dtype == "string":
        return np.array(list(value.data), dtype=object).reshape(value.shape)
    try:
        return onnx_types.unpack(CODES[value.dtype], value.data, value.count).reshape(value.shape)
    except onnx_types.NoSuchType as e:
        raise Unsupported(str(e)) from None


def from_numpy(value):
    """What a backend may return for an array, a sequence or an optional of arrays."""
    if isinstance(value, Optional):
        return Optional(None if value.value is None else from_numpy(value.value))
    if isinstance(value, list):
        return Sequence([from_numpy(v) for v in value], getattr(value, "dtype", "float32"))
    array = np.asarray(value)
    if array.dtype.name in CODES and CODES[array.dtype.name] in onnx_types.BITS:
        return Tensor(array.dtype.name if array.dtype.name != "float4_e2m1fn" else "float4e2m1", array.shape,
                      onnx_types.pack(array))
    return array


def write_calls(folder, calls):
    """What goes in and out of a model that lies in the folder, as lines of a Python function: calls.py."""
    with open(os.path.join(folder, "calls.py"), "w", encoding="utf-8") as f:
        for function, *arguments in calls:
            f.write(f"    {function}({', '.join(map(repr, arguments))})\n")

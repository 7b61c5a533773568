"""What workers of libraries share that convert an ONNX file with a tool of their own.

Such libraries compute with fewer types than ONNX has.  Inputs are converted to what the library has when that changes
no value, and outputs to the type the model declares; what does not fit is unsupported.
"""

import os
import tempfile

import numpy as np

import onnx_reader
import onnx_types
from worker_types import Rejected, Unsupported


def _varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _field(number, data):
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def with_outputs(data, names):
    """A model with more outputs: protobuf merges a second `graph` field into the first."""
    if not names:
        return data
    return data + _field(7, b"".join(_field(12, _field(1, name.encode())) for name in names))


class Model:
    """An ONNX model as a file for a converter: .path, .inputs and .outputs (names), .types of both (ONNX codes)."""

    def __init__(self, data, outputs, suffix=".onnx"):
        try:
            graph = onnx_reader.read_model(data).graph
        except onnx_reader.ModelError as e:
            raise Rejected(str(e)) from None
        except onnx_types.NoSuchType as e:
            raise Unsupported(str(e)) from None
        self.graph = graph
        self.inputs = [i.name for i in graph.inputs if i.name not in graph.constants]
        self.outputs = [o.name for o in graph.outputs]
        extra = [name for name in outputs if name not in self.outputs]
        self.types, self.shapes = {}, {}
        for info in graph.inputs + graph.outputs:
            self.types[info.name], self.shapes[info.name] = 0, None
            if info.type is None:
                continue
            if info.type.tensor is None:
                raise Unsupported(f"'{info.name}' is not a tensor")
            self.types[info.name] = info.type.tensor.dtype
            shape = info.type.tensor.shape
            self.shapes[info.name] = None if shape is None else [None if d.name else d.value for d in shape.dims]
        self.outputs += extra
        handle, self.path = tempfile.mkstemp(suffix=suffix, dir=os.getcwd())
        with os.fdopen(handle, "wb") as f:
            f.write(with_outputs(data, extra))

    def remove(self):
        base = os.path.splitext(self.path)[0]
        for name in os.listdir(os.path.dirname(self.path)):
            path = os.path.join(os.path.dirname(self.path), name)
            if path.startswith(base):
                os.unlink(path)


def operators_of(graph):
    """Names of all operators in a graph and the graphs inside it."""
    for node in graph.nodes:
        yield f"{node.domain}:{node.op}" if node.domain else node.op
        for value in node.attributes.values():
            for inner in value if isinstance(value, list) else [value]:
                if isinstance(inner, onnx_reader.Message) and hasattr(inner, "nodes"):
                    yield from operators_of(inner)


# ONNX type -> what a library of 32-bit numbers computes in
NARROW = {"float32": np.float32, "int32": np.int32, "int64": np.int32, "bool": np.int32, "uint8": np.uint8}


def narrowed(array, name):
    """An input in a type the library has, without a change of any value."""
    to = NARROW.get(array.dtype.name)
    if to is None:
        raise Unsupported(f"input '{name}' of type {array.dtype.name}")
    result = array.astype(to, order="C")  # np.ascontiguousarray() would give a scalar an axis
    if not np.array_equal(result, array, equal_nan=array.dtype.kind == "f"):
        raise Unsupported(f"input '{name}' has numbers that do not fit {np.dtype(to).name}")
    return result


def widened(array, code, name):
    """An output in the type the model declares."""
    if code == 0:
        if array.dtype != np.float32:  # an int32 there may be of many types here
            raise Unsupported(f"the model does not declare the type of '{name}'")
        return array
    to = onnx_types.NAMES.get(code, f"number {code}")
    if to not in NARROW:
        raise Unsupported(f"output '{name}' of type {to}")
    return array if array.dtype.name == to else array.astype(to)

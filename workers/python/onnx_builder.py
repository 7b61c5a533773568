"""Writes ONNX models: nodes over tensors whose shapes are known as far as they can be.

A Tensor has a name, a shape (None where a size is open) and an element type of numpy.  Whoever adds a node says what
shape comes out.  Names are unique, or that is a ValueError.
"""

import numpy as np

import onnx_types
from wire import Writer

OPSET, IR_VERSION = 17, 8
MAX_BYTES = (1 << 31) - 1  # of one message
FLOAT_ATTR, INT_ATTR, STRING_ATTR, FLOATS_ATTR, INTS_ATTR, STRINGS_ATTR = 1, 2, 3, 6, 7, 8


class Tensor:
    def __init__(self, name, shape, dtype):
        self.name, self.shape, self.dtype = name, tuple(shape), np.dtype(dtype)

    rank = property(lambda self: len(self.shape))


class Node:
    def __init__(self, name, op, inputs, outputs, attributes):
        self.name, self.op, self.inputs, self.outputs, self.attributes = name, op, inputs, outputs, attributes


class Builder:
    def __init__(self):
        self.nodes, self.inputs, self.outputs, self.constants = [], [], [], {}
        self.names = set()
        self.producer = ""
        self.bytes = 0

    def _claim(self, name):
        if name in self.names:
            raise ValueError(f"two tensors are called '{name}'")
        self.names.add(name)
        return name

    def input(self, name, shape, dtype):
        made = Tensor(self._claim(name), shape, dtype)
        self.inputs.append(made)
        return made

    def constant(self, name, array):
        array = np.ascontiguousarray(array)
        self.bytes += array.nbytes
        if self.bytes > MAX_BYTES:
            raise ValueError("its weights are more than one ONNX file holds")
        self.constants[self._claim(name)] = array
        return Tensor(name, array.shape, array.dtype)

    def node(self, name, op, inputs, shapes, dtype, attributes):
        """One node, and the tensors that come out; `name` is that of the first, the others count."""
        names = [name] + [f"{name}.{i}" for i in range(1, len(shapes))]
        outputs = [Tensor(self._claim(n), shape, dtype) if shape is not None else None
                   for n, shape in zip(names, shapes)]
        self.nodes.append(Node(name, op, inputs, outputs, attributes))
        return outputs

    def rename(self, tensor, name):
        """Of a tensor that a node made: all that read it hold the same object."""
        self.names.discard(tensor.name)
        tensor.name = self._claim(name)

    # ---- bytes -------------------------------------------------------------------------------------------------------

    def serialize(self):
        graph, model, opset = Writer(), Writer(), Writer()
        for node in self.nodes:
            graph.message(1, _node(node))
        graph.block(2, "keras")
        for name, array in self.constants.items():
            graph.message(5, _tensor(name, array))
        for tensor in self.inputs:
            graph.message(11, _info(tensor))
        for tensor in self.outputs:
            graph.message(12, _info(tensor))
        model.number(1, IR_VERSION)
        model.block(2, self.producer)
        model.message(7, graph)
        opset.number(2, OPSET)
        model.message(8, opset)
        return model.getvalue()


def _node(node):
    out = Writer()
    for tensor in node.inputs:
        out.block(1, tensor.name if tensor else "")
    for tensor in node.outputs:
        out.block(2, tensor.name if tensor else "")
    out.block(3, node.name)
    out.block(4, node.op)
    for name, value in node.attributes.items():
        out.message(5, attribute(name, value))
    return out


def _float(value):
    return np.float32(value).tobytes()


def attribute(name, value):
    out = Writer()
    out.block(1, name)
    kind = INTS_ATTR
    if isinstance(value, float):
        out.varint(2 << 3 | 5)
        out.write(_float(value))
        kind = FLOAT_ATTR
    elif isinstance(value, str):
        out.block(4, value)
        kind = STRING_ATTR
    elif isinstance(value, int):
        out.number(3, value)
        kind = INT_ATTR
    elif value and isinstance(value[0], float):
        out.block(7, b"".join(_float(v) for v in value))
        kind = FLOATS_ATTR
    elif value and isinstance(value[0], str):
        for v in value:
            out.block(9, v)
        kind = STRINGS_ATTR
    else:
        for v in value:
            out.number(8, int(v))
    out.number(20, kind)
    return out


def _tensor(name, array):
    out = Writer()
    for d in array.shape:
        out.number(1, d)
    out.number(2, onnx_types.onnx_type(array.dtype))
    out.block(8, name)
    out.block(9, array.tobytes())
    return out


def _info(tensor):
    """ValueInfoProto; the first axis that is open is the batch."""
    shape, tensor_type, kind, out = Writer(), Writer(), Writer(), Writer()
    for i, d in enumerate(tensor.shape):
        dim = Writer()
        if d is not None:
            dim.number(1, d)
        elif i == 0:
            dim.block(2, "batch")
        shape.message(1, dim)
    tensor_type.number(1, onnx_types.onnx_type(tensor.dtype))
    tensor_type.message(2, shape)
    kind.message(1, tensor_type)
    out.block(1, tensor.name)
    out.message(2, kind)
    return out

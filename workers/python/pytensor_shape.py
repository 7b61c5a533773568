"""ONNX operators in PyTensor: shapes, slices, indices.

TABLE maps an operator to a function of one Call (onnx_graph.py).
"""

import numpy as np

import onnx_shapes
from onnx_graph import axis_of
from pytensor_calls import pt
from pytensor_math import shape_of


def shape(c):
    start, end = c.attr("start"), c.attr("end")
    value = c.value(0)
    dims = value.shape if isinstance(value, np.ndarray) else shape_of(c, value)
    return np.array(dims[start:end], dtype=np.int64)


def transpose(c):
    x = c.x()
    return x.transpose(*(c.attr("perm") or range(x.ndim)[::-1]))


def concat(c):
    values = c.all()
    return pt.concatenate(values, axis_of(c.attr("axis"), values[0].ndim, c.op))


def split(c):
    x = c.x()
    axis = axis_of(c.attr("axis"), x.ndim, c.op)
    lengths = onnx_shapes.cut_lengths(c, shape_of(c, x)[axis], c.ints("split", 1, 13))
    ends = np.cumsum([0] + lengths)
    before = (slice(None),) * axis
    return tuple(x[before + (slice(int(a), int(b)),)] for a, b in zip(ends, ends[1:]))


def slices(c):
    x = c.x()
    return x[onnx_shapes.slice_index(c, shape_of(c, x))]


def expand(c):
    x = c.x()
    return pt.broadcast_to(x, np.broadcast_shapes(shape_of(c, x), tuple(c.ints("", 1, 0))))


def padded(x, dims, widths, value):
    """x with a constant around it: widths are pairs of numbers that are not negative."""
    if not any(a or b for a, b in widths):
        return x
    outer = pt.full(tuple(n + a + b for n, (a, b) in zip(dims, widths)), np.asarray(value, x.dtype))
    return pt.set_subtensor(outer[tuple(slice(a, a + n) for n, (a, _) in zip(dims, widths))], x)


def pad(c):
    x = c.x()
    pads = c.attr("pads" if c.opset >= 2 else "paddings") if c.opset < 11 else c.ints("", 1, 0)
    if c.attr("mode") != "constant" or min(pads, default=0) < 0 or c.opset >= 18 and c.has(3):
        c.unsupported("anything but a constant around all axes")
    value = c.attr("value") if c.opset < 11 else c.known(2).reshape(()) if c.has(2) else 0
    return padded(x, shape_of(c, x), list(zip(pads[:x.ndim], pads[x.ndim:])), value)


def gather(c):
    x, index = c.x(0), c.x(1)
    axis = axis_of(c.attr("axis"), x.ndim, c.op)
    return pt.take(x, pt.switch(index < 0, index + shape_of(c, x)[axis], index), axis=axis)


TABLE = {
    **onnx_shapes.bindings(lambda c, x, dims: x.reshape(tuple(dims)), shape_of), "Shape": shape,
    "Transpose": transpose, "Concat": concat, "Split": split, "Slice": slices, "Expand": expand, "Pad": pad,
    "Gather": gather, "Constant": onnx_shapes.constant, "ConstantOfShape": onnx_shapes.constant_of_shape,
    "Tile": lambda c: pt.tile(c.x(), tuple(c.ints("", 1, 0))),
}

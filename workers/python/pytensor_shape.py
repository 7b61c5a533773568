"""ONNX operators in PyTensor: shapes, slices, indices.

TABLE maps an operator to a function of one Call (onnx_graph.py).
"""

import numpy as np
import pytensor.tensor as pt

from assay_worker import Rejected
from onnx_graph import axes_of, axis_of
from pytensor_math import shape_of


def count(shape):
    return int(np.prod(shape, dtype=np.int64))


def shape(c):
    start, end = c.attr("start", 0), c.attr("end")
    value = c.value(0)
    dims = value.shape if isinstance(value, np.ndarray) else shape_of(c, value)
    return np.array(dims[start:end], dtype=np.int64)


def reshape(c):
    x, wanted = c.x(), c.ints("shape", 1, 5)
    dims = shape_of(c, x)
    if not c.attr("allowzero", 0):
        if any(d == 0 and i >= len(dims) for i, d in enumerate(wanted)):
            raise Rejected("Reshape: a 0 where there is no axis to copy")
        wanted = [dims[i] if d == 0 else d for i, d in enumerate(wanted)]
    if wanted.count(-1) > 1:
        raise Rejected("Reshape: more than one -1")
    rest = count([d for d in wanted if d != -1])
    wanted = [(count(dims) // rest if rest else 0) if d == -1 else d for d in wanted]
    if count(wanted) != count(dims):
        raise Rejected(f"Reshape: {dims} to {wanted}")
    return x.reshape(tuple(wanted))


def flatten(c):
    x = c.x()
    dims, axis = shape_of(c, x), c.attr("axis", 1)
    axis = axis + x.ndim if axis < 0 else axis
    return x.reshape((count(dims[:axis]), count(dims[axis:])))


def squeeze(c):
    x, axes = c.x(), c.ints("axes", 1, 13)
    dims = shape_of(c, x)
    axes = [i for i, n in enumerate(dims) if n == 1] if axes is None else axes_of(axes, x.ndim, c.op)
    if any(dims[i] != 1 for i in axes):
        raise Rejected(f"{c.op}: an axis of {dims} that is not 1")
    return x.reshape(tuple(n for i, n in enumerate(dims) if i not in axes))


def unsqueeze(c):
    x, axes = c.x(), c.ints("axes", 1, 13)
    return pt.expand_dims(x, tuple(sorted(axes_of(axes, x.ndim + len(axes), c.op))))


def transpose(c):
    x = c.x()
    return x.transpose(*(c.attr("perm") or range(x.ndim)[::-1]))


def concat(c):
    values = c.all()
    return pt.concatenate(values, axis_of(c.attr("axis", 1), values[0].ndim, c.op))


def split(c):
    x = c.x()
    axis = axis_of(c.attr("axis", 0), x.ndim, c.op)
    size, lengths = shape_of(c, x)[axis], c.ints("split", 1, 13)
    if lengths is None:
        parts = c.attr("num_outputs", c.n_out)
        each = -(-size // parts)
        lengths = [max(0, min(each, size - i * each)) for i in range(parts)]
    if sum(lengths) != size:
        raise Rejected(f"{c.op}: lengths {lengths} of an axis of {size}")
    ends = np.cumsum([0] + lengths)
    before = (slice(None),) * axis
    return tuple(x[before + (slice(int(a), int(b)),)] for a, b in zip(ends, ends[1:]))


def slices(c):
    x = c.x()
    starts, ends = c.ints("starts", 1, 10), c.ints("ends", 2, 10)
    axes = c.ints("axes", 3, 10) or list(range(len(starts)))
    steps = (c.ints("steps", 4, 10) if c.opset >= 10 else None) or [1] * len(starts)
    index = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes_of(axes, x.ndim, c.op), steps):
        if step == 0:
            raise Rejected("Slice: a step of 0")
        n = shape_of(c, x)[axis]
        start, end = (v + n if v < 0 else v for v in (start, end))
        start = min(max(start, 0), n if step > 0 else n - 1)
        end = min(max(end, 0 if step > 0 else -1), n)
        index[axis] = slice(start, None if end < 0 else end, step)
    return x[tuple(index)]


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
    pads = c.attr("pads") if c.opset < 11 else c.ints("", 1, 0)
    if c.attr("mode", "constant") != "constant" or min(pads, default=0) < 0 or c.opset >= 18 and c.has(3):
        c.unsupported("anything but a constant around all axes")
    value = c.attr("value", 0.0) if c.opset < 11 else c.known(2).reshape(()) if c.has(2) else 0
    return padded(x, shape_of(c, x), list(zip(pads[:x.ndim], pads[x.ndim:])), value)


def gather(c):
    x, index = c.x(0), c.x(1)
    axis = axis_of(c.attr("axis", 0), x.ndim, c.op)
    return pt.take(x, pt.switch(index < 0, index + shape_of(c, x)[axis], index), axis=axis)


CONSTANTS = {"value": lambda v: v, "value_int": np.int64, "value_float": np.float32,
             "value_ints": lambda v: np.array(v, np.int64), "value_floats": lambda v: np.array(v, np.float32)}


def constant(c):
    for name, make in CONSTANTS.items():
        if name in c.attributes:
            return np.asarray(make(c.attributes[name]))
    return c.unsupported("strings and sparse tensors")


def constant_of_shape(c):
    value = c.attr("value")
    value = np.zeros(1, np.float32) if value is None else value
    return np.full(tuple(c.ints("", 0, 0)), value.reshape(-1)[0], dtype=value.dtype)


TABLE = {
    "Shape": shape, "Reshape": reshape, "Flatten": flatten, "Squeeze": squeeze, "Unsqueeze": unsqueeze,
    "Transpose": transpose, "Concat": concat, "Split": split, "Slice": slices, "Expand": expand, "Pad": pad,
    "Gather": gather, "Constant": constant, "ConstantOfShape": constant_of_shape,
    "Tile": lambda c: pt.tile(c.x(), tuple(c.ints("", 1, 0))),
}

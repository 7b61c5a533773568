"""What ONNX's operators on shapes come to, for every library alike: functions of one Call (onnx_graph.py).

A library gives bindings() what puts the elements of a tensor under another shape, and gets its bindings.  Shapes are
given as `dims`, because some libraries do not have them as numbers at the tensor.
"""

import numpy as np

from worker_types import Rejected
from onnx_graph import axes_of


def product(dims):
    return int(np.prod(dims, dtype=np.int64))


def reshape(c, dims):
    wanted, size = c.ints("shape", 1, 5), product(dims)
    if not c.attr("allowzero"):
        if any(d == 0 and i >= len(dims) for i, d in enumerate(wanted)):
            raise Rejected("Reshape: a 0 where there is no axis to copy")
        wanted = [dims[i] if d == 0 else d for i, d in enumerate(wanted)]
    if wanted.count(-1) > 1:
        raise Rejected("Reshape: more than one -1")
    if -1 in wanted:
        rest = product([d for d in wanted if d != -1])
        wanted = [size // max(rest, 1) if d == -1 else d for d in wanted]
    if product(wanted) != size:
        raise Rejected(f"Reshape of {tuple(dims)} to {wanted}")
    return wanted


def flatten(c, dims):
    axis = c.attr("axis")
    axis = axis + len(dims) if axis < 0 else axis
    return product(dims[:axis]), product(dims[axis:])


def squeeze(c, dims):
    axes = c.ints("axes", 1, 13)
    axes = axes_of(axes, len(dims), c.op) if axes is not None else [i for i, d in enumerate(dims) if d == 1]
    if any(dims[a] != 1 for a in axes):
        raise Rejected(f"Squeeze of axes {axes} of {tuple(dims)}")
    return [d for i, d in enumerate(dims) if i not in axes]


def unsqueeze(c, dims):
    axes, dims = c.ints("axes", 1, 13), list(dims)
    for a in sorted(axes_of(axes, len(dims) + len(axes), c.op)):
        dims.insert(a, 1)
    return dims


def bindings(reshaped, dims_of=lambda c, x: x.shape):
    """Reshape, Flatten, Squeeze and Unsqueeze, of a library's reshaped(call, tensor, shape)."""
    def bind(shape):
        def run(c):
            x = c.x()
            return reshaped(c, x, shape(c, dims_of(c, x)))
        return run

    return {"Reshape": bind(reshape), "Flatten": bind(flatten), "Squeeze": bind(squeeze),
            "Unsqueeze": bind(unsqueeze)}


def cut_lengths(c, size, lengths):
    """Lengths of a split: given, or equal parts with a smaller last one."""
    if lengths is not None:
        if sum(lengths) != size or min(lengths, default=0) < 0:
            raise Rejected(f"{c.op}: lengths {lengths} of an axis of {size}")
        return lengths
    parts = c.attr("num_outputs", c.n_out)
    each = -(-size // parts)
    return [max(0, min(each, size - i * each)) for i in range(parts)]


def slice_index(c, dims):
    """What Slice takes, as an index of Python's: starts and ends within the axes."""
    starts, ends = c.ints("starts", 1, 10), c.ints("ends", 2, 10)
    axes = c.ints("axes", 3, 10) or list(range(len(starts)))
    steps = (c.ints("steps", 4, 10) if c.opset >= 10 else None) or [1] * len(starts)
    index = [slice(None)] * len(dims)
    for start, end, axis, step in zip(starts, ends, axes_of(axes, len(dims), c.op), steps):
        if step == 0:
            raise Rejected("Slice: a step of 0")
        n = dims[axis]
        start, end = (v + n if v < 0 else v for v in (start, end))
        start = min(max(start, 0), n if step > 0 else n - 1)
        end = min(max(end, 0 if step > 0 else -1), n)
        index[axis] = slice(start, None if end < 0 else end, step)
    return tuple(index)


def reduced_axes(c, rank, since):
    """Axes of a reduction, and whether they are kept: an attribute before opset `since`, then an input."""
    axes = c.ints("axes", 1, since)
    if not axes and c.attr("noop_with_empty_axes"):
        return (), True
    return tuple(axes_of(axes, rank, c.op)) if axes else tuple(range(rank)), bool(c.attr("keepdims"))


def constant(c):
    """The value of Constant as an array; strings and sparse tensors are for those who have them."""
    for name, make in (("value", np.asarray), ("value_int", np.int64), ("value_float", np.float32)):
        if name in c.attributes:
            return np.asarray(make(c.attributes[name]))
    for name, dtype in (("value_ints", np.int64), ("value_floats", np.float32)):
        if name in c.attributes:
            return np.array(c.attributes[name], dtype)
    return c.unsupported("strings and sparse tensors")


def constant_of_shape(c):
    value = c.attr("value")
    value = np.zeros(1, np.float32) if value is None else value
    return np.full(tuple(c.ints("", 0, 0)), value.reshape(-1)[0], dtype=value.dtype)

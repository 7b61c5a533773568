"""What ONNX's operators on shapes come to, for every library alike: functions of one Call (onnx_graph.py).

A library gives bindings() what puts the elements of a tensor under another shape, and gets its bindings.
"""

import numpy as np

from assay_worker import Rejected
from onnx_graph import axes_of


def product(dims):
    return int(np.prod(dims, dtype=np.int64))


def reshape(c, x):
    wanted = c.ints("shape", 1, 5)
    if not c.attr("allowzero", 0):
        wanted = [x.shape[i] if d == 0 and i < x.ndim else d for i, d in enumerate(wanted)]
    if -1 in wanted:
        rest = product([d for d in wanted if d != -1])
        wanted = [x.size // max(rest, 1) if d == -1 else d for d in wanted]
    if product(wanted) != x.size:
        raise Rejected(f"Reshape of {x.shape} to {wanted}")
    return wanted


def flatten(c, x):
    axis = c.attr("axis", 1)
    axis = axis + x.ndim if axis < 0 else axis
    return product(x.shape[:axis]), product(x.shape[axis:])


def squeeze(c, x):
    axes = c.ints("axes", 1, 13)
    axes = axes_of(axes, x.ndim, c.op) if axes is not None else [i for i, d in enumerate(x.shape) if d == 1]
    if any(x.shape[a] != 1 for a in axes):
        raise Rejected(f"Squeeze of axes {axes} of {x.shape}")
    return [d for i, d in enumerate(x.shape) if i not in axes]


def unsqueeze(c, x):
    axes, dims = c.ints("axes", 1, 13), list(x.shape)
    for a in sorted(axes_of(axes, x.ndim + len(axes), c.op)):
        dims.insert(a, 1)
    return dims


def bindings(reshaped):
    """Reshape, Flatten, Squeeze and Unsqueeze, of a library's reshaped(call, tensor, shape)."""
    def bind(shape):
        def run(c):
            x = c.x()
            return reshaped(c, x, shape(c, x))
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

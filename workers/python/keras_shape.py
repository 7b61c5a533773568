"""ONNX operators in Keras: what moves, selects and makes elements.

TABLE maps an operator to a function of one Call (onnx_graph.py).
"""

import numpy as np

import onnx_shapes
import onnx_types
from keras_calls import dims, dtype_of, ops
from keras_math import number
from onnx_graph import axes_of, axis_of
from worker_types import Rejected


def shape(c):
    sizes = np.array(c.value(0).shape if isinstance(c.value(0), np.ndarray) else dims(c.x()), dtype=np.int64)
    return sizes[slice(c.attr("start"), c.attr("end"))]


def transpose(c):
    x, perm = c.x(), c.attr("perm")
    return ops.transpose(x, list(range(len(dims(x))))[::-1] if perm is None else perm)


def concat(c):
    values = c.all()
    return ops.concatenate(values, axis=axis_of(c.attr("axis"), len(dims(values[0])), c.op))


def split(c):
    x = c.x()
    axis = axis_of(c.attr("axis"), len(dims(x)), c.op)
    lengths = onnx_shapes.cut_lengths(c, dims(x)[axis], c.ints("split", 1, 13))
    if len(lengths) == 1:
        return (x,)
    return tuple(ops.split(x, np.cumsum(lengths)[:-1].tolist(), axis=axis))


def slices(c):
    """What is taken in steps of 1 is one slice; other steps are indices along their axis."""
    x = c.x()
    index = [s.indices(n) for s, n in zip(onnx_shapes.slice_index(c, dims(x)), dims(x))]
    sizes = [len(range(*i)) for i in index]
    if all(step == 1 for _, _, step in index):
        return ops.slice(x, [start if size else 0 for (start, _, _), size in zip(index, sizes)], sizes)
    for axis, (i, n) in enumerate(zip(index, dims(x))):
        if i != (0, n, 1):
            x = ops.take(x, np.arange(*i), axis=axis)
    return x


def expand(c):
    x = c.x()
    return ops.broadcast_to(x, np.broadcast_shapes(dims(x), tuple(c.ints("", 1, 0))))


def tile(c):
    if c.opset < 6:
        c.unsupported("opset below 6")
    x, repeats = c.x(), c.ints("", 1, 0)
    if len(repeats) != len(dims(x)):
        raise Rejected("Tile: one repeat for each axis")
    return ops.tile(x, repeats)


def trilu(c):
    k = int(c.known(1).reshape(())) if c.has(1) else 0
    return (ops.triu if c.attr("upper") else ops.tril)(c.x(), k)


def depth_to_space(c):
    x, b = c.x(), c.attr("blocksize")
    n, depth, h, w = dims(x)
    if c.attr("mode") == "DCR":
        y = ops.transpose(ops.reshape(x, (n, b, b, depth // (b * b), h, w)), (0, 3, 4, 1, 5, 2))
    else:
        y = ops.transpose(ops.reshape(x, (n, depth // (b * b), b, b, h, w)), (0, 1, 4, 2, 5, 3))
    return ops.reshape(y, (n, depth // (b * b), h * b, w * b))


def space_to_depth(c):
    x, b = c.x(), c.attr("blocksize")
    n, depth, h, w = dims(x)
    order = (0, 3, 5, 1, 2, 4) if c.attr("mode") == "DCR" else (0, 1, 3, 5, 2, 4)
    y = ops.transpose(ops.reshape(x, (n, depth, h // b, b, w // b, b)), order)
    return ops.reshape(y, (n, depth * b * b, h // b, w // b))


PAD_MODES = ("constant", "reflect")


def pad(c):
    x = c.x()
    pads = c.attr("pads" if c.opset >= 2 else "paddings") if c.opset < 11 else c.ints("", 1, 0)
    axes = c.ints("axes", 3, 18) if c.opset >= 18 else None
    axes = axes_of(axes, len(dims(x)), c.op) if axes is not None else list(range(len(dims(x))))
    widths = [[0, 0] for _ in dims(x)]
    for i, axis in enumerate(axes):
        widths[axis] = [pads[i], pads[len(axes) + i]]
    mode = c.attr("mode")
    if mode not in PAD_MODES or min((w for pair in widths for w in pair), default=0) < 0:
        c.unsupported(f"mode '{mode}', or negative pads")
    if mode != "constant":
        return ops.pad(x, widths, mode=mode)
    fill = c.attr("value") if c.opset < 11 else c.known(2).reshape(()).item() if c.has(2) else 0
    return ops.pad(x, widths, mode="constant", constant_values=fill)


def inside(c, i, size):
    """Indices counted from the end made to count from the start."""
    index = c.x(i)
    return ops.where(ops.less(index, number(0, index)), ops.add(index, number(size, index)), index)


def gather(c):
    x = c.x()
    axis = axis_of(c.attr("axis"), len(dims(x)), c.op)
    return ops.take(x, inside(c, 1, dims(x)[axis]), axis=axis)


def gather_elements(c):
    x, index = c.x(), dims(c.x(1))
    axis = axis_of(c.attr("axis"), len(dims(x)), c.op)
    if any(n != m for i, (n, m) in enumerate(zip(dims(x), index)) if i != axis):
        c.unsupported("fewer indices than the input is wide")
    return ops.take_along_axis(x, inside(c, 1, dims(x)[axis]), axis=axis)


REDUCTIONS = {"none": None, "add": "add", "mul": "mul", "max": "max", "min": "min"}


def scatter_nd(c):
    x, index, updates = c.x(0), c.known(1), c.x(2)
    if index.shape[-1] != len(dims(x)) or c.attr("reduction") not in REDUCTIONS:
        c.unsupported("updates that are slices")
    index = np.where(index < 0, index + np.array(dims(x), index.dtype), index).reshape(-1, index.shape[-1])
    return scattered(c, x, index, ops.reshape(updates, (-1,)))


def scatter_elements(c):
    x, index = c.x(), c.known(1)
    axis = axis_of(c.attr("axis"), len(dims(x)), c.op)
    index = np.where(index < 0, index + dims(x)[axis], index)
    grid = np.indices(index.shape)
    grid[axis] = index
    return scattered(c, x, grid.reshape(index.ndim, -1).T, ops.reshape(c.x(2), (-1,)))


def scattered(c, x, index, updates):
    how = c.attr("reduction")
    if how == "none" and len(np.unique(index, axis=0)) != len(index):
        c.unsupported("one place updated twice")
    if REDUCTIONS[how] is None:
        return ops.scatter_update(x, index, updates)
    return ops.scatter_update(x, index, updates, reduction=REDUCTIONS[how])


def compress(c):
    x, keep, axis = c.x(0), np.flatnonzero(c.known(1)), c.attr("axis")
    if axis is None:
        return ops.take(ops.reshape(x, (-1,)), keep, axis=0)
    return ops.take(x, keep, axis=axis_of(axis, len(dims(x)), c.op))


def nonzero(c):
    x = c.x()
    if not dims(x):
        c.unsupported("a scalar")
    return ops.cast(ops.stack(list(ops.nonzero(x)), axis=0), np.dtype(np.int64))


def top_k(c):
    x = c.x()
    k = c.attr("k") if c.opset < 10 else int(c.known(1).reshape(-1)[0])
    axis = axis_of(c.attr("axis"), len(dims(x)), c.op)
    values = c.known(0)
    if axis != len(dims(x)) - 1 or not c.attr("largest") or not c.attr("sorted"):
        c.unsupported("another axis than the last, or the smallest")
    if np.isnan(values).any() if values.dtype.kind == "f" else False:
        c.unsupported("NaN has no place in an order")
    found, index = ops.top_k(x, k, sorted=True)
    return found, ops.cast(index, np.dtype(np.int64))


def one_hot(c):
    index, depth, values = c.x(0), int(c.known(1).reshape(-1)[0]), c.known(2)
    axis = axis_of(c.attr("axis"), len(dims(index)) + 1, c.op)
    if dtype_of(index).kind not in "iu" or values.tolist() != [0, 1]:
        c.unsupported("indices that are floats, or other values than 0 and 1")
    return ops.one_hot(inside(c, 0, depth), depth, axis=axis, dtype=values.dtype)


def eye_like(c):
    x = c.x()
    dtype = onnx_types.numpy_type(c.attr("dtype")) if c.attr("dtype") else dtype_of(x)
    n, m = dims(x)
    return ops.eye(n, m, k=c.attr("k"), dtype=dtype)


def range_of(c):
    start, limit, delta = (c.known(i).reshape(()) for i in range(3))
    if delta == 0:
        raise Rejected("Range: a step of 0")
    if start.dtype.kind != "i":
        c.unsupported("floats: how many there are depends on rounding")
    return ops.arange(start.item(), limit.item(), delta.item(), dtype=start.dtype)


TABLE = {
    "Shape": shape, "Size": lambda c: np.asarray(onnx_shapes.product(c.value(0).shape), np.int64),
    **onnx_shapes.bindings(lambda c, x, to: ops.reshape(x, tuple(to)), lambda c, x: dims(x)),
    "Transpose": transpose, "Concat": concat, "Split": split, "Slice": slices, "Expand": expand, "Tile": tile,
    "Trilu": trilu, "DepthToSpace": depth_to_space, "SpaceToDepth": space_to_depth, "Pad": pad, "Gather": gather,
    "GatherElements": gather_elements, "ScatterElements": scatter_elements, "Scatter": scatter_elements,
    "ScatterND": scatter_nd, "Compress": compress, "NonZero": nonzero, "TopK": top_k, "OneHot": one_hot,
    "Constant": onnx_shapes.constant, "ConstantOfShape": onnx_shapes.constant_of_shape, "EyeLike": eye_like,
    "Range": range_of,
}

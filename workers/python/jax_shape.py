"""ONNX operators in JAX: what moves, selects and makes elements; control flow; sequences and optionals.

TABLE maps an operator to a function of one Call (onnx_graph.py).
"""

import numpy as np

import onnx_shapes
import onnx_types
from jax_calls import jnp, lax
from onnx_graph import axes_of, axis_of
from worker_types import Optional, Rejected

# ---- shapes --------------------------------------------------------------------------------------------------------


def shape(c):
    dims = np.array(np.shape(c.value(0)), dtype=np.int64)
    start, end = c.attr("start"), c.attr("end")
    return dims[slice(start, end)]


def transpose(c):
    x = c.x()
    return jnp.transpose(x, c.attr("perm"))


def concat(c):
    values = c.all()
    return jnp.concatenate(values, axis_of(c.attr("axis"), values[0].ndim, c.op))


def split(c):
    x = c.x()
    axis = axis_of(c.attr("axis"), x.ndim, c.op)
    lengths = onnx_shapes.cut_lengths(c, x.shape[axis], c.ints("split", 1, 13))
    return tuple(jnp.split(x, np.cumsum(lengths)[:-1].tolist(), axis))


def slices(c):
    x = c.x()
    return x[onnx_shapes.slice_index(c, x.shape)]


def expand(c):
    x = c.x()
    return jnp.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(c.ints("", 1, 0))))


def tile(c):
    if c.opset < 6:
        c.unsupported("opset below 6")
    x, repeats = c.x(), c.ints("", 1, 0)
    if len(repeats) != x.ndim:
        raise Rejected("Tile: one repeat for each axis")
    return jnp.tile(x, repeats)


def trilu(c):
    k = int(c.known(1)) if c.has(1) else 0
    return (jnp.triu if c.attr("upper") else jnp.tril)(c.x(), k)


def depth_to_space(c):
    x, b = c.x(), c.attr("blocksize")
    n, depth, h, w = x.shape
    if c.attr("mode") == "DCR":
        y = x.reshape(n, b, b, depth // (b * b), h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        y = x.reshape(n, depth // (b * b), b, b, h, w).transpose(0, 1, 4, 2, 5, 3)
    return y.reshape(n, depth // (b * b), h * b, w * b)


def space_to_depth(c):
    x, b = c.x(), c.attr("blocksize")
    n, depth, h, w = x.shape
    order = (0, 3, 5, 1, 2, 4) if c.attr("mode") == "DCR" else (0, 1, 3, 5, 2, 4)
    y = x.reshape(n, depth, h // b, b, w // b, b).transpose(order)
    return y.reshape(n, depth * b * b, h // b, w // b)


PAD_MODES = {"constant": "constant", "reflect": "reflect", "edge": "edge", "wrap": "wrap"}


def pad(c):
    x = c.x()
    pads = c.attr("pads" if c.opset >= 2 else "paddings") if c.opset < 11 else c.ints("", 1, 0)
    axes = c.ints("axes", 3, 18) if c.opset >= 18 else None
    axes = axes_of(axes, x.ndim, c.op) if axes is not None else list(range(x.ndim))
    widths = [(0, 0)] * x.ndim
    for i, axis in enumerate(axes):
        widths[axis] = (pads[i], pads[len(axes) + i])
    mode = c.attr("mode")
    if mode not in PAD_MODES:
        c.unsupported(f"mode '{mode}'")
    if mode == "constant":
        fill = c.attr("value") if c.opset < 11 else c.opt(2, 0)
        return lax.pad(x, jnp.asarray(fill).astype(x.dtype).reshape(()), [(a, b, 0) for a, b in widths])
    x = x[tuple(slice(max(0, -a), n - max(0, -b)) for n, (a, b) in zip(x.shape, widths))]
    return jnp.pad(x, [(max(0, a), max(0, b)) for a, b in widths], mode=PAD_MODES[mode])


def center_crop_pad(c):
    x, wanted = c.x(), c.ints("", 1, 0)
    axes = c.attr("axes")
    axes = axes_of(axes, x.ndim, c.op) if axes is not None else list(range(x.ndim))
    widths = [(0, 0, 0)] * x.ndim
    for axis, size in zip(axes, wanted):
        more = size - x.shape[axis]  # an odd element goes to the end
        widths[axis] = (more // 2, more - more // 2, 0) if more >= 0 else (-(-more // 2), more + (-more // 2), 0)
    return lax.pad(x, jnp.zeros((), x.dtype), widths)


# ---- selecting -----------------------------------------------------------------------------------------------------

def inside(index, size):
    """Indices counted from the end made to count from the start."""
    return jnp.where(index < 0, index + size, index)


def gather(c):
    x = c.x()
    axis = axis_of(c.attr("axis"), x.ndim, c.op)
    return jnp.take(x, inside(c.x(1), x.shape[axis]), axis=axis, mode="clip")


def gather_elements(c):
    x = c.x()
    axis = axis_of(c.attr("axis"), x.ndim, c.op)
    index = inside(c.x(1), x.shape[axis])
    return x[grid_with(index, axis)]


def grid_with(index, axis):
    """An index tuple: every position of `index`, with its value in place of one axis."""
    grid = [lax.broadcasted_iota(jnp.int64, index.shape, i) for i in range(index.ndim)]
    grid[axis] = index
    return tuple(grid)


def gather_nd(c):
    x, index, batch = c.x(0), c.x(1), c.attr("batch_dims")
    depth = index.shape[-1]
    parts = [jnp.arange(n).reshape((-1,) + (1,) * (index.ndim - 2 - i)) for i, n in enumerate(x.shape[:batch])]
    return x[tuple(parts + [inside(index[..., i], x.shape[batch + i]) for i in range(depth)])]


UPDATES = {"none": "set", "add": "add", "mul": "multiply", "max": "max", "min": "min"}


def updated(c, x, index, updates):
    how = c.attr("reduction")
    if how not in UPDATES:
        c.unsupported(f"reduction '{how}'")
    return getattr(x.at[index], UPDATES[how])(updates)


def scatter_elements(c):
    x = c.x()
    axis = axis_of(c.attr("axis"), x.ndim, c.op)
    return updated(c, x, grid_with(inside(c.x(1), x.shape[axis]), axis), c.x(2))


def scatter_nd(c):
    x, index = c.x(0), c.x(1)
    return updated(c, x, tuple(inside(index[..., i], x.shape[i]) for i in range(index.shape[-1])), c.x(2))


def compress(c):
    x, keep = c.x(0), np.flatnonzero(c.known(1))
    axis = c.attr("axis")
    return x.reshape(-1)[keep] if axis is None else jnp.take(x, keep, axis=axis_of(axis, x.ndim, c.op))


def nonzero(c):
    c.known(0)  # the shape of the result depends on the values
    return jnp.transpose(jnp.argwhere(c.x())).astype(jnp.int64)


def top_k(c):
    x = c.x()
    k = c.attr("k") if c.opset < 10 else int(c.known(1).reshape(-1)[0])
    axis = axis_of(c.attr("axis"), x.ndim, c.op)
    largest = c.attr("largest")
    order = jnp.argsort(x, axis=axis, stable=True, descending=bool(largest))
    index = lax.slice_in_dim(order, 0, k, axis=axis)
    return jnp.take_along_axis(x, index, axis=axis), index.astype(jnp.int64)


def reverse_sequence(c):
    x, lengths = c.x(0), c.x(1)
    time, batch = c.attr("time_axis"), c.attr("batch_axis")
    steps = jnp.arange(x.shape[time])
    along = tuple(-1 if i == time else 1 for i in range(x.ndim))
    across = tuple(-1 if i == batch else 1 for i in range(x.ndim))
    steps, lengths = steps.reshape(along), lengths.reshape(across)
    index = jnp.where(steps < lengths, lengths - 1 - steps, steps)
    return jnp.take_along_axis(x, jnp.broadcast_to(index, x.shape), axis=time)


def one_hot(c):
    index, depth, values = c.x(0), int(c.known(1).reshape(-1)[0]), c.x(2)
    axis = axis_of(c.attr("axis"), index.ndim + 1, c.op)
    hot = jnp.expand_dims(inside(index, depth), axis) == \
        jnp.arange(depth, dtype=index.dtype).reshape((-1,) + (1,) * (index.ndim - axis))
    return jnp.where(hot, values[1], values[0])


# ---- making --------------------------------------------------------------------------------------------------------

CONSTANTS = {"value": lambda v: v, "value_int": np.int64, "value_float": np.float32,
             "value_ints": lambda v: np.array(v, np.int64), "value_floats": lambda v: np.array(v, np.float32),
             "sparse_value": lambda v: v}


def constant(c):
    for name, make in CONSTANTS.items():
        if name in c.attributes:
            return np.asarray(make(c.attributes[name]))
    return c.unsupported("strings")


def eye_like(c):
    x = c.x()
    dtype = onnx_types.numpy_type(c.attr("dtype")) if c.attr("dtype") else x.dtype
    return jnp.eye(*x.shape, k=c.attr("k"), dtype=dtype)


def range_of(c):
    start, limit, delta = (c.known(i).reshape(()) for i in range(3))
    if delta == 0:
        raise Rejected("Range: a step of 0")
    count = max(0, int(np.ceil((limit.astype(np.float64) - start) / delta)))
    return jnp.asarray(start) + jnp.arange(count).astype(start.dtype) * jnp.asarray(delta)


# ---- control flow --------------------------------------------------------------------------------------------------

def if_else(c):
    branch = "then_branch" if bool(c.known(0).reshape(())) else "else_branch"
    return tuple(c.subgraph(c.graph(branch), []))


def loop(c):
    body = c.graph("body")
    limit = int(c.known(0).reshape(())) if c.has(0) else None
    going = bool(c.known(1).reshape(())) if c.has(1) else True
    state = list(c.inputs[2:])
    n_scan = len(body.outputs) - 1 - len(state)
    collected, i = [[] for _ in range(n_scan)], 0
    while going and (limit is None or i < limit):
        results = c.subgraph(body, [np.asarray(i, np.int64), np.asarray(going)] + state)
        going = bool(c.session.library.known(results[0], c).reshape(()))
        state = results[1:1 + len(state)]
        for kept, value in zip(collected, results[1 + len(state):]):
            kept.append(c.session.library.array(value, c))
        i += 1
    if n_scan and not i:
        c.unsupported("no iteration: the shape of what is collected is not known")
    return tuple(state + [jnp.stack(kept) for kept in collected])


def scan(c):
    if c.opset < 9:
        c.unsupported("opset below 9")
    body, n = c.graph("body"), c.attr("num_scan_inputs")
    state, streams = list(c.inputs[:-n]), [c.x(i) for i in range(len(c.inputs) - n, len(c.inputs))]
    n_out = len(body.outputs) - len(state)
    in_axes, out_axes = c.each("scan_input_axes", n), c.each("scan_output_axes", n_out)
    back_in, back_out = c.each("scan_input_directions", n), c.each("scan_output_directions", n_out)
    streams = [jnp.moveaxis(s, a, 0)[::-1 if b else 1] for s, a, b in zip(streams, in_axes, back_in)]
    collected = [[] for _ in range(n_out)]
    for i in range(streams[0].shape[0]):
        results = c.subgraph(body, state + [s[i] for s in streams])
        state = results[:len(state)]
        for kept, value in zip(collected, results[len(state):]):
            kept.append(c.session.library.array(value, c))
    if n_out and not streams[0].shape[0]:
        c.unsupported("no iteration: the shape of what is collected is not known")
    stacked = [jnp.stack(kept[::-1 if b else 1]) for kept, b in zip(collected, back_out)]
    return tuple(state + [jnp.moveaxis(s, 0, a) for s, a in zip(stacked, out_axes)])


# ---- sequences and optionals ---------------------------------------------------------------------------------------

def position(c, i, n, otherwise):
    at = int(c.known(i).reshape(())) if c.has(i) else otherwise
    if not -n <= at <= n:
        raise Rejected(f"{c.op}: position {at} in a sequence of {n}")
    return at + n if at < 0 else at


def sequence_insert(c):
    items = list(c.value(0))
    items.insert(position(c, 2, len(items), len(items)), c.x(1))
    return items


def sequence_at(c):
    items = c.value(0)
    at = position(c, 1, len(items), 0)
    if at == len(items):
        raise Rejected(f"{c.op}: position {at} in a sequence of {at}")
    return items[at]


def sequence_erase(c):
    items = list(c.value(0))
    del items[position(c, 1, len(items), len(items) - 1)]
    return items


def split_to_sequence(c):
    x = c.x()
    axis = axis_of(c.attr("axis"), x.ndim, c.op)
    size = x.shape[axis]
    if not c.has(1):
        parts = jnp.split(x, size, axis)
        return [p if c.attr("keepdims") else jnp.squeeze(p, axis) for p in parts]
    lengths = c.known(1)
    if lengths.ndim == 0:
        each = int(lengths)
        lengths = [min(each, size - at) for at in range(0, size, each)]
    lengths = onnx_shapes.cut_lengths(c, size, [int(n) for n in lengths])
    return list(jnp.split(x, np.cumsum(lengths)[:-1].tolist(), axis))


def concat_from_sequence(c):
    items = [c.session.library.array(v, c) for v in c.value(0)]
    return (jnp.stack if c.attr("new_axis") else jnp.concatenate)(items, axis=c.attr("axis"))


def optional_has(c):
    value = c.inputs[0] if c.inputs else None
    return np.asarray(value is not None and not (isinstance(value, Optional) and value.value is None))


def optional_get(c):
    value = c.value(0)
    return value.value if isinstance(value, Optional) else value


TABLE = {
    "Shape": shape, "Size": lambda c: np.asarray(np.prod(np.shape(c.value(0)), dtype=np.int64)),
    **onnx_shapes.bindings(lambda c, x, dims: x.reshape(dims)), "Transpose": transpose, "Concat": concat,
    "Split": split, "Slice": slices, "Expand": expand, "Tile": tile, "Trilu": trilu, "DepthToSpace": depth_to_space,
    "SpaceToDepth": space_to_depth, "Pad": pad, "CenterCropPad": center_crop_pad, "Gather": gather,
    "GatherElements": gather_elements, "GatherND": gather_nd, "ScatterElements": scatter_elements,
    "Scatter": scatter_elements, "ScatterND": scatter_nd, "Compress": compress, "NonZero": nonzero, "TopK": top_k,
    "ReverseSequence": reverse_sequence, "OneHot": one_hot, "Constant": constant,
    "ConstantOfShape": onnx_shapes.constant_of_shape, "EyeLike": eye_like, "Range": range_of, "If": if_else,
    "Loop": loop,
    "Scan": scan, "SequenceConstruct": lambda c: c.all(), "SequenceEmpty": lambda c: [],
    "SequenceInsert": sequence_insert, "SequenceAt": sequence_at, "SequenceErase": sequence_erase,
    "SequenceLength": lambda c: np.asarray(len(c.value(0)), np.int64), "SplitToSequence": split_to_sequence,
    "ConcatFromSequence": concat_from_sequence, "OptionalHasElement": optional_has, "OptionalGetElement": optional_get,
    "Optional": lambda c: Optional(c.inputs[0] if c.inputs else None),
}

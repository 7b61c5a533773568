"""ONNX operators as layers of ncnn: element by element, shapes, reductions, products.

TABLE maps an operator to a function of one Call (onnx_graph.py); ncnn_nn.py has convolutions, poolings, norms and
recurrent layers.  ncnn computes with float32 alone; whatever speaks of shapes is computed on the host (HOST).
Broadcasting is written out: both sides get the same number of axes, so that ncnn has no axes to guess.
"""

import numpy as np

import onnx_shapes
from worker_types import Rejected
from ncnn_builder import MAX_AXES, Handle, blob_axes
from onnx_graph import axes_of, axis_of

UNARY = {"Abs": 0, "Neg": 1, "Floor": 2, "Ceil": 3, "Sqrt": 5, "Exp": 7, "Log": 8, "Sin": 9, "Cos": 10, "Tan": 11,
         "Asin": 12, "Acos": 13, "Atan": 14, "Reciprocal": 15, "Round": 18, "Sign": 20, "Sinh": 22, "Asinh": 23,
         "Cosh": 24, "Acosh": 25, "Atanh": 26}
BINARY = {"Add": 0, "Sub": 1, "Mul": 2, "Div": 3, "Max": 4, "Min": 5, "Pow": 6, "Sum": 0, "Mean": 0}
REDUCTIONS = {"ReduceSum": 0, "ReduceSumSquare": 2, "ReduceMean": 3, "ReduceMax": 4, "ReduceMin": 5, "ReduceProd": 6,
              "ReduceL1": 7, "ReduceL2": 8, "ReduceLogSum": 9, "ReduceLogSumExp": 10}
# Permute's order_type is the place of a word here: from which axes the results' innermost, next, … axes are taken
WORDS = {"HW": "WH HW", "CHW": "WHC HWC WCH CWH HCW CHW",
         "CDHW": "WHDC HWDC WDHC DWHC HDWC DHWC WHCD HWCD WCHD CWHD HCWD CHWD WDCH DWCH WCDH CWDH DCWH CDWH HDCW DHCW "
                 "HCDW CHDW DCHW CDHW"}
ORDERS = {len(axes): [tuple(axes.index(letter) for letter in reversed(word)) for word in words.split()]
          for axes, words in WORDS.items()}


def builder(c):
    return c.session.library.builder


def layer(c, kind, x, params=None, weights=(), axes=None, shape=None):
    """One layer on one tensor, which keeps its axes and shape unless told otherwise."""
    b = builder(c)
    name = b.blob(x)
    return made(c, b.op(kind, [name], None, params, weights), axes or x.axes, shape or x.shape)


def made(c, name, axes, shape):
    return Handle(shape, name, tuple(axes))


def simple(kind, *attributes):
    """A layer whose parameters 0, 1, … are attributes."""
    def run(c):
        return layer(c, kind, c.x(), {i: float(c.attr(name)) for i, name in enumerate(attributes)})
    return run


def unary(c):
    return layer(c, "UnaryOp", c.x(), {0: UNARY[c.op]})


def scalar(c, op, x, value):
    return layer(c, "BinaryOp", x, {0: BINARY[op], 1: 1, 2: float(value)})


def together(c, op, x, y):
    """A binary operation with ONNX's broadcasting."""
    shape = np.broadcast_shapes(x.shape, y.shape)
    rank = len(shape)
    full = [(1,) * (rank - v.ndim) + v.shape for v in (x, y)]
    axes, dropped = blob_axes(shape)
    b, names = builder(c), []
    for v, dims in zip((x, y), full):
        names.append(b.blob(v, dims[dropped:] or (1,)))
    return made(c, b.op("BinaryOp", names, None, {0: BINARY[op]}), axes, shape)


def aligned(c, y, x):
    """Before opset 7 the second input was aligned at an axis, and only when broadcast was set."""
    if c.opset >= 7 or x.shape == y.shape:
        return y
    if not c.attr("broadcast"):
        raise Rejected(f"{c.op}: inputs of shapes {x.shape} and {y.shape}")
    axis = c.attr("axis")
    axis = x.ndim - y.ndim if axis is None else axis_of(axis, x.ndim, c.op)
    return reshaped(c, y, y.shape + (1,) * (x.ndim - axis - y.ndim))


def binary(c):
    x = c.x(0)
    return together(c, c.op, x, aligned(c, c.x(1), x))


def variadic(c):
    values = c.all()
    y = values[0]
    for v in values[1:]:
        y = together(c, c.op, y, v)
    return scalar(c, "Div", y, len(values)) if c.op == "Mean" else y


def clip(c):
    def bound(i, name, otherwise):
        if c.opset < 11:
            return c.attr(name, otherwise)
        return float(c.known(i).reshape(())) if c.has(i) else otherwise

    largest = float(np.finfo(np.float32).max)
    return layer(c, "Clip", c.x(), {0: float(bound(1, "min", -largest)), 1: float(bound(2, "max", largest))})


def prelu(c):
    x, slope = c.x(), np.asarray(c.known(1), np.float32)
    if slope.size == 1:
        return layer(c, "PReLU", x, {0: 1}, [(slope.reshape(-1), False)])
    per_channel = x.ndim > 2 and x.shape[0] == 1 and slope.size == x.shape[1] and \
        (c.opset < 7 or slope.shape[slope.ndim - x.ndim + 1:] == (1,) * (x.ndim - 2))
    if per_channel and slope.ndim in (1, x.ndim, x.ndim - 1) and (slope.ndim > 1 or c.opset < 7):
        return layer(c, "PReLU", form(c, x, x.shape[1:]), {0: slope.size}, [(slope.reshape(-1), False)],
                     shape=x.shape)
    return c.unsupported(f"a slope of shape {slope.shape} for {x.shape}")


def softsign(c):
    x = c.x()
    return together(c, "Div", x, scalar(c, "Add", layer(c, "UnaryOp", x, {0: 0}), 1.0))


def form(c, x, axes):
    """The same tensor in a blob of these axes."""
    return Handle(x.shape, builder(c).blob(x, axes), tuple(axes), x.data)


def softmax_axes(c, x):
    """Axes of the blob and the one to normalise: before opset 13 all from `axis` on are one."""
    axis = axis_of(c.attr("axis"), x.ndim, c.op)
    if c.opset < 13:
        return (int(np.prod(x.shape[:axis], dtype=np.int64)), int(np.prod(x.shape[axis:], dtype=np.int64))), 1
    axes, dropped = (x.shape, 0) if x.ndim <= MAX_AXES else blob_axes(x.shape)
    return (axes or (1,), axis - dropped) if axis >= dropped else c.unsupported("an axis that blobs do not have")


def softmax(c):
    x = c.x()
    axes, axis = softmax_axes(c, x)
    return layer(c, "Softmax", form(c, x, axes), {0: axis, 1: 1})


def log_softmax(c):
    """x - max - log Σ exp(x - max): the logarithm of Softmax would lose what underflows."""
    x = c.x()
    axes, axis = softmax_axes(c, x)
    x = Handle(axes, builder(c).blob(x, axes), axes)
    x = together(c, "Sub", x, reduction(c, x, 4, [axis], True))
    total = reduction(c, layer(c, "UnaryOp", x, {0: UNARY["Exp"]}), 0, [axis], True)
    y = together(c, "Sub", x, layer(c, "UnaryOp", total, {0: UNARY["Log"]}))
    return made(c, builder(c).blob(y), y.axes, c.x().shape)


# ---- reductions ----------------------------------------------------------------------------------------------------

def reduction(c, x, operation, axes, keep):
    dims, dropped = (x.shape or (1,), 0) if x.ndim <= MAX_AXES else blob_axes(x.shape)
    if any(a < dropped for a in axes):
        c.unsupported("an axis that blobs do not have")
    kept = [1 if i in axes else d for i, d in enumerate(x.shape)]
    params = {0: operation, 1: 0, 3: [a - dropped for a in axes] or [0], 4: 1, 5: 1}
    result = layer(c, "Reduction", form(c, x, dims), params, axes=tuple(kept[dropped:]) or (1,), shape=kept)
    shape = kept if keep else [d for i, d in enumerate(x.shape) if i not in axes]
    return made(c, result.blob, result.axes, shape)


def reduce(c):
    x = c.x()
    axes = c.ints("axes", 1, 13 if c.op == "ReduceSum" else 18)
    if not axes:
        if c.attr("noop_with_empty_axes"):
            c.unsupported("noop_with_empty_axes")
        axes = range(x.ndim)
    return reduction(c, x, REDUCTIONS[c.op], axes_of(axes, x.ndim, c.op), c.attr("keepdims"))


def global_pool(kind):
    def run(c):
        x = c.x()
        if x.ndim == 4 and x.shape[0] == 1:
            return layer(c, "Pooling", form(c, x, x.shape[1:]), {0: kind, 4: 1}, axes=x.shape[1:2],
                         shape=x.shape[:2] + (1, 1))
        return reduction(c, x, (4, 3)[kind], range(2, x.ndim), True)
    return run


# ---- shapes --------------------------------------------------------------------------------------------------------

def reshaped(c, x, shape):
    """The elements of x under another shape; a layer of ncnn puts them there."""
    shape = tuple(int(d) for d in shape)
    axes = blob_axes(shape)[0]
    return Handle(shape, builder(c).blob(x, axes), axes)


def transpose(c):
    x = c.x()
    return permuted(c, x, c.attr("perm") or list(range(x.ndim))[::-1])


def permuted(c, x, order):
    shape = [x.shape[i] for i in order]
    axes, dropped = blob_axes(x.shape)
    if any(i != a for i, a in zip(range(dropped), order)):  # axes of size 1 move too
        axes, dropped = x.shape, 0
        if x.ndim > MAX_AXES:
            c.unsupported("more than four axes")
    local = tuple(a - dropped for a in order[dropped:])
    if len(local) < 2:
        return x
    kind = ORDERS[len(local)].index(local)
    return layer(c, "Permute", form(c, x, axes), {0: kind}, axes=shape[dropped:], shape=shape)


def laid_out(c, x, axis):
    """A blob in which an axis of the tensor is one of its own: (tensor, that axis, how many axes it dropped)."""
    axes, dropped = blob_axes(x.shape)
    if axis < dropped:
        axes, dropped = x.shape, 0
        if x.ndim > MAX_AXES:
            c.unsupported("an axis that blobs do not have")
    return form(c, x, axes), axis - dropped, dropped


def joined(c, values, axis):
    x, local, dropped = laid_out(c, values[0], axis)
    shape = list(x.shape)
    shape[axis] = sum(v.shape[axis] for v in values)
    b = builder(c)
    names = [b.blob(v, v.shape[dropped:]) for v in values]
    return made(c, b.op("Concat", names, None, {0: local}), shape[dropped:], shape)


def concat(c):
    values = c.all()
    return joined(c, values, axis_of(c.attr("axis"), values[0].ndim, c.op))


def pieces(c, x, axis, lengths):
    """Slices of an axis, as one layer."""
    x, local, dropped = laid_out(c, x, axis)
    shapes = [x.shape[:axis] + (n,) + x.shape[axis + 1:] for n in lengths]
    b = builder(c)
    if len(lengths) == 1:
        return [x]
    names = b.op("Slice", [b.blob(x)], None, {0: list(lengths), 1: local}, outputs=len(lengths))
    return [made(c, name, shape[dropped:], shape) for name, shape in zip(names, shapes)]


def split(c):
    x = c.x()
    axis = axis_of(c.attr("axis"), x.ndim, c.op)
    lengths = onnx_shapes.cut_lengths(c, x.shape[axis], c.ints("split", 1, 13))
    if min(lengths) < 1:
        c.unsupported("tensors without elements")
    return tuple(pieces(c, x, axis, lengths))


def slice_(c):
    x = c.x()
    starts, ends, axes = c.ints("starts", 1, 10), c.ints("ends", 2, 10), c.ints("axes", 3, 10)
    axes = axes_of(axes if axes is not None else range(len(starts)), x.ndim, c.op)
    if c.opset >= 10 and c.has(4) and any(s != 1 for s in c.ints("steps", 4, 10)):
        c.unsupported("steps other than 1")
    for axis, start, end in zip(axes, starts, ends):
        size = x.shape[axis]
        begin, stop = (min(max(v + size if v < 0 else v, 0), size) for v in (start, end))
        if begin >= stop:
            c.unsupported("tensors without elements")
        x, local, dropped = laid_out(c, x, axis)
        shape = x.shape[:axis] + (stop - begin,) + x.shape[axis + 1:]
        x = layer(c, "Crop", x, {9: [begin], 10: [stop], 11: [local]}, axes=shape[dropped:], shape=shape)
    return x


def tiled(c, x, repeats):
    shape = [d * r for d, r in zip(x.shape, repeats)]
    axes, dropped = blob_axes(x.shape)
    if any(r != 1 for r in repeats[:dropped]):
        axes, dropped = x.shape, 0
        if x.ndim > MAX_AXES:
            c.unsupported("more than four axes")
    if all(r == 1 for r in repeats):
        return x
    return layer(c, "Tile", form(c, x, axes), {2: [int(r) for r in repeats[dropped:]]}, axes=shape[dropped:],
                 shape=shape)


def expand(c):
    x = c.x()
    shape = np.broadcast_shapes(x.shape, tuple(int(d) for d in c.known(1)))
    x = reshaped(c, x, (1,) * (len(shape) - x.ndim) + x.shape)
    return tiled(c, x, [1 if d == x.shape[i] else d for i, d in enumerate(shape)])


def tile(c):
    if c.opset < 6:
        c.unsupported("version 1")
    return tiled(c, c.x(), [int(r) for r in c.known(1).reshape(-1)])


# ---- products ------------------------------------------------------------------------------------------------------

def matmul(c):
    x, y = c.x(0), c.x(1)
    a = x.shape if x.ndim > 1 else (1,) + x.shape
    b = y.shape if y.ndim > 1 else y.shape + (1,)
    batch = a[:-2] if len(a) > 2 else b[:-2]
    whole = batch + (a[-2], b[-1])
    if len(a) > 2 and len(b) > 2 and a[:-2] != b[:-2]:
        c.unsupported("batches that are broadcast")
    if len(a) == 2 and len(b) > 2:
        c.unsupported("one matrix times a batch")
    rows = a if len(b) > 2 else (int(np.prod(a[:-1], dtype=np.int64)), a[-1])
    rank = max(len(rows), 2)
    if rank > MAX_AXES:
        c.unsupported("more than four axes")
    lib = builder(c)
    name = lib.op("MatMul", [lib.blob(x, rows), lib.blob(y, b)], None)
    shape = whole[:len(whole) - 2] + (() if x.ndim == 1 else whole[-2:-1]) + (() if y.ndim == 1 else whole[-1:])
    return made(c, name, whole if len(b) > 2 else (rows[0], b[-1]), shape)


def gemm(c):
    x, b = c.x(0), builder(c)
    alpha, beta = float(c.attr("alpha")), float(c.attr("beta"))
    trans = [c.attr("transA"), c.attr("transB")]
    rows, inner = x.shape[::-1] if trans[0] else x.shape
    columns = c.value(1).shape[0 if trans[1] else 1]
    if isinstance(c.value(1), np.ndarray) and not trans[0] and alpha == 1.0 and rows == 1:
        weight = c.value(1) if trans[1] else c.value(1).T
        bias = c.value(2) if c.has(2) else None
        if bias is None or (isinstance(bias, np.ndarray) and beta == 1.0 and bias.size == columns):
            weights = [(weight, True)] + ([] if bias is None else [(bias.reshape(-1), False)])
            return layer(c, "InnerProduct", form(c, x, (inner,)), {0: columns, 1: len(weights) - 1, 2: weight.size},
                         weights, axes=(columns,), shape=(rows, columns))
    inputs = [b.blob(x, x.shape), b.blob(c.x(1), c.x(1).shape)]
    if c.has(2) and alpha == 1.0:
        inputs.append(b.blob(c.x(2), c.x(2).shape if c.x(2).ndim == 2 else (1, c.x(2).size)))
    name = b.op("Gemm", inputs, None, {0: alpha, 1: beta, 2: trans[0], 3: trans[1]})
    y = made(c, name, (rows, columns), (rows, columns))
    if c.has(2) and alpha != 1.0:  # the layer computes (A B + beta C) alpha
        y = together(c, "Add", y, scalar(c, "Mul", c.x(2), beta))
    return y


# ---- what speaks of shapes -----------------------------------------------------------------------------------------

def shape_of(c):
    dims = list(c.value(0).shape)
    return np.array(dims[slice(c.attr("start"), c.attr("end"))], np.int64)


HOST = {
    "Gather": lambda c: np.take(c.value(0), c.value(1), axis=c.attr("axis")),
    "Concat": lambda c: np.concatenate(c.inputs, axis=c.attr("axis")),
    "Unsqueeze": lambda c: np.expand_dims(c.value(0), tuple(c.ints("axes", 1, 13))),
    "Squeeze": lambda c: np.squeeze(c.value(0), tuple(c.ints("axes", 1, 13)) if c.ints("axes", 1, 13) else None),
    "Add": lambda c: c.value(0) + c.value(1), "Sub": lambda c: c.value(0) - c.value(1),
    "Mul": lambda c: c.value(0) * c.value(1),
}

TABLE = {
    **{op: unary for op in UNARY}, **{op: binary for op in ("Add", "Sub", "Mul", "Div", "Pow")},
    **{op: variadic for op in ("Max", "Min", "Sum", "Mean")}, **{op: reduce for op in REDUCTIONS},
    "Relu": simple("ReLU"), "LeakyRelu": simple("ReLU", "alpha"), "Sigmoid": simple("Sigmoid"),
    "Tanh": simple("TanH"), "Elu": simple("ELU", "alpha"), "Celu": simple("CELU", "alpha"),
    "Selu": simple("SELU", "alpha", "gamma"),
    "HardSigmoid": simple("HardSigmoid", "alpha", "beta"), "Erf": simple("Erf"),
    "HardSwish": lambda c: layer(c, "HardSwish", c.x(), {0: 1 / 6, 1: 0.5}), "Mish": simple("Mish"),
    "Softplus": simple("Softplus"), "Shrink": simple("Shrink", "bias", "lambd"),
    "Gelu": lambda c: layer(c, "GELU", c.x(), {0: int(c.attr("approximate") == "tanh")}),
    "Softsign": softsign, "PRelu": prelu, "Clip": clip, "Softmax": softmax, "LogSoftmax": log_softmax,
    "GlobalMaxPool": global_pool(0), "GlobalAveragePool": global_pool(1),
    **onnx_shapes.bindings(reshaped), "Transpose": transpose,
    "Concat": concat, "Split": split, "Slice": slice_, "Expand": expand, "Tile": tile,
    "MatMul": matmul, "Gemm": gemm, "Identity": lambda c: c.value(0),
    "Shape": shape_of, "Constant": onnx_shapes.constant,
    "ConstantOfShape": onnx_shapes.constant_of_shape,
    "Gather": lambda c: c.unsupported("ncnn has no such layer"),
}

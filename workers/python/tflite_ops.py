"""ONNX operators in TensorFlow Lite.

TABLE maps an operator to a function of one Call (onnx_graph.py).  Images are NHWC there: convolutions and poolings
stand between two transpositions.  Explicit pads become an operator of their own; averages over windows that reach into
pads are corrected by a constant factor for each window.
"""

import numpy as np

import onnx_shapes
from onnx_graph import Window, axes_of, axis_of
from tflite_builder import TYPES

SAME, VALID = 0, 1  # schema.Padding
FLOAT = np.dtype(np.float32)
LONGEST = 2**31 - 1  # step of a slice


def i32(values):
    return np.array(values, dtype=np.int32)


def emit(c, name, inputs, dtype=None, **more):
    return c.session.library.builder.op(name, inputs, dtype or inputs[0].dtype, **more)


def only(c, x, *names):
    """Refuses types for which the library's operator is known to mean something else, or nothing."""
    if x.dtype.name not in names:
        c.unsupported(f"{x.dtype.name} input")
    return x


def same(name, options=None, types=("float32",), **fields):
    return lambda c: emit(c, name, [only(c, c.x(), *types)], options=options, **fields)


def binary(name, options=None, types=("float32", "int32", "int64"), result=None):
    def run(c):
        if c.opset < 7 and c.attr("broadcast") and c.x(0).shape != c.x(1).shape:
            c.unsupported("broadcasting before opset 7")
        only(c, c.x(0), *types)
        if c.x(0).dtype != c.x(1).dtype:
            c.unsupported("inputs of two types")
        return emit(c, name, [c.x(0), c.x(1)], result, options=options)
    return run


def variadic(name, options=None):
    def run(c):
        values = c.all()
        only(c, values[0], "float32", "int32", "int64")
        y = values[0]
        for v in values[1:]:
            y = emit(c, name, [y, v], options=options)
        return y
    return run


def divide(c):
    only(c, c.x(0), "float32")  # integers are rounded down there in some types, to zero in others
    return binary("DIV", "Div")(c)


# ---- layouts and shapes --------------------------------------------------------------------------------------------

def permuted(c, x, order):
    if list(order) == list(range(x.ndim)):
        return x
    if x.data is not None:  # weights
        return c.session.library.builder.constant(np.transpose(x.data, order))
    return emit(c, "TRANSPOSE", [x, i32(order)], options="Transpose")


def to_nhwc(c, x):
    if x.ndim != 4:
        c.unsupported(f"{x.ndim} axes; only images of four are bound")
    return permuted(c, x, (0, 2, 3, 1))


def to_nchw(c, x):
    return permuted(c, x, (0, 3, 1, 2))


def reshaped(c, x, shape):
    return emit(c, "RESHAPE", [x, i32(shape)], options="Reshape", newShape=list(shape))


def transpose(c):
    x = c.x()
    return permuted(c, x, c.attr("perm") or list(range(x.ndim))[::-1])


def concat(c):
    values = c.all()
    axis = axis_of(c.attr("axis"), values[0].ndim, c.op)
    return emit(c, "CONCATENATION", values, options="Concatenation", axis=axis)


def split(c):
    x = c.x()
    axis = axis_of(c.attr("axis"), x.ndim, c.op)
    lengths = onnx_shapes.cut_lengths(c, x.shape[axis], c.ints("split", 1, 13))
    result = emit(c, "SPLIT_V", [x, i32(lengths), i32(axis)], options="SplitV", numSplits=len(lengths),
                  outputs=len(lengths))
    return tuple(result) if isinstance(result, list) else result


def slices(c):
    x = c.x()
    starts, ends = c.ints("starts", 1, 10), c.ints("ends", 2, 10)
    axes = c.ints("axes", 3, 10) or list(range(len(starts)))
    steps = (c.ints("steps", 4, 10) if c.opset >= 10 else None) or [1] * len(starts)
    begin, end, stride, end_mask = [0] * x.ndim, list(x.shape), [1] * x.ndim, 0
    for first, last, axis, step in zip(starts, ends, axes_of(axes, x.ndim, c.op), steps):
        n = x.shape[axis]
        first, last = (v + n if v < 0 else v for v in (first, last))
        begin[axis] = min(max(first, 0), n if step > 0 else n - 1)
        last = min(max(last, 0 if step > 0 else -1), n)
        end_mask |= (1 << axis) if last < 0 else 0
        end[axis], stride[axis] = max(last, 0), min(max(step, -LONGEST), LONGEST)
    return emit(c, "STRIDED_SLICE", [x, i32(begin), i32(end), i32(stride)], options="StridedSlice", endMask=end_mask)


def gather(c):
    x, index = c.x(0), c.x(1)
    axis = axis_of(c.attr("axis"), x.ndim, c.op)
    if index.data is None or (index.data < 0).any():
        c.unsupported("indices that may count from the end")
    return emit(c, "GATHER", [x, index], options="Gather", axis=axis)


def padded(c, x, widths, fill):
    if all(w == (0, 0) for w in widths):
        return x
    if min(min(w) for w in widths) < 0:
        c.unsupported("negative pads")
    return emit(c, "PADV2", [x, i32(widths), np.asarray(fill, x.dtype)], options="PadV2")


def pad(c):
    x = only(c, c.x(), "float32", "int32", "int64")
    pads = c.attr("pads" if c.opset >= 2 else "paddings") if c.opset < 11 else c.ints("", 1, 0)
    if c.attr("mode") != "constant" or c.has(3):
        c.unsupported("modes and axes")
    fill = c.attr("value") if c.opset < 11 else c.known(2).reshape(()) if c.has(2) else 0
    return padded(c, x, [(pads[i], pads[x.ndim + i]) for i in range(x.ndim)], fill)


CASTS = ("float32", "int32", "int64", "bool", "uint8", "int8")


def cast(c):
    x, to = c.x(), c.session.library.type_of(c.attr("to"))
    if x.dtype.name not in CASTS or to.name not in CASTS:
        c.unsupported(f"{x.dtype.name} to {to.name}")
    return converted(c, x, to)


def converted(c, x, to):
    return emit(c, "CAST", [x], to, options="Cast", inDataType=TYPES[x.dtype.name], outDataType=TYPES[to.name])


# ---- products and windows ------------------------------------------------------------------------------------------

def matmul(c):
    a, b = only(c, c.x(0), "float32"), c.x(1)
    if a.ndim < 2 or b.ndim < 2:
        c.unsupported("vectors")
    return emit(c, "BATCH_MATMUL", [a, b], options="BatchMatMul")


def gemm(c):
    a, b = only(c, c.x(0), "float32"), c.x(1)
    y = emit(c, "BATCH_MATMUL", [a, b], options="BatchMatMul", adjX=bool(c.attr("transA")),
             adjY=bool(c.attr("transB")))
    if c.attr("alpha") != 1.0:
        y = emit(c, "MUL", [y, FLOAT.type(c.attr("alpha"))], options="Mul")
    if c.has(2):
        bias = c.x(2)
        if c.attr("beta") != 1.0:
            bias = emit(c, "MUL", [bias, FLOAT.type(c.attr("beta"))], options="Mul")
        y = emit(c, "ADD", [y, bias], options="Add")
    return y


def conv(c):
    x, w = only(c, c.x(0), "float32"), c.x(1)
    if x.ndim != 4:
        c.unsupported("other than two spatial axes")
    window = Window(c, x.shape[2:], c.attr("kernel_shape") or w.shape[2:])
    groups, channels = c.attr("group"), x.shape[1]
    bias = c.x(2) if c.has(2) else np.zeros(w.shape[0], np.float32)
    fields = dict(padding=VALID, strideH=window.strides[0], strideW=window.strides[1],
                  dilationHFactor=window.dilations[0], dilationWFactor=window.dilations[1])
    image = padded(c, to_nhwc(c, x), [(0, 0)] + list(window.pads) + [(0, 0)], 0)
    if groups == 1:
        kernel = permuted(c, w, (0, 2, 3, 1))
        y = emit(c, "CONV_2D", [image, kernel, bias], options="Conv2D", **fields)
    elif groups == channels:  # each input channel has its own filters
        kernel = permuted(c, w, (1, 2, 3, 0))
        y = emit(c, "DEPTHWISE_CONV_2D", [image, kernel, bias], options="DepthwiseConv2D",
                 depthMultiplier=w.shape[0] // channels, **fields)
    else:
        y = grouped(c, image, w.data if w.data is not None else c.known(1), c.known(2) if c.has(2) else bias, groups,
                    fields)
    return to_nchw(c, y)


def grouped(c, image, w, bias, groups, fields):
    parts = emit(c, "SPLIT", [i32(3), image], FLOAT, options="Split", numSplits=groups, outputs=groups)
    each = w.shape[0] // groups
    results = [emit(c, "CONV_2D", [part, np.transpose(w[i * each:(i + 1) * each], (0, 2, 3, 1)),
                                   bias[i * each:(i + 1) * each]], options="Conv2D", **fields)
               for i, part in enumerate(parts)]
    return emit(c, "CONCATENATION", results, options="Concatenation", axis=3)


def pooled(c, name, x, window, fill):
    if any(d != 1 for d in window.dilations):
        c.unsupported("dilations")
    widths = [(0, 0)] + [(a, b + e) for (a, b), e in zip(window.pads, window.extra)] + [(0, 0)]
    image = padded(c, to_nhwc(c, x), widths, fill)
    return emit(c, name, [image], options="Pool2D", padding=VALID, strideH=window.strides[0],
                strideW=window.strides[1], filterHeight=window.kernel[0], filterWidth=window.kernel[1])


def pool_window(c, x):
    if x.ndim != 4:
        c.unsupported(f"{x.ndim} axes; only images of four are bound")
    return Window(c, x.shape[2:], c.attr("kernel_shape"))


def cropped(c, y, window):
    """Without windows that begin behind the input."""
    if tuple(y.shape[1:3]) == tuple(window.out):
        return y
    size = (y.shape[0], window.out[0], window.out[1], y.shape[3])
    return emit(c, "SLICE", [y, i32([0, 0, 0, 0]), i32(size)], options="Slice")


def max_pool(c):
    x = only(c, c.x(), "float32")
    if c.wants(1):
        c.unsupported("positions of the largest elements")
    window = pool_window(c, x)
    return to_nchw(c, cropped(c, pooled(c, "MAX_POOL_2D", x, window, -np.inf), window))


def average_pool(c):
    x = only(c, c.x(), "float32")
    window = pool_window(c, x)
    y = cropped(c, pooled(c, "AVERAGE_POOL_2D", x, window, 0), window)
    counts = window.counts(x.shape[2:], bool(c.attr("count_include_pad")))
    factors = np.prod(window.kernel) / counts
    if (factors != 1).any():
        y = emit(c, "MUL", [y, factors.astype(np.float32)[None, :, :, None]], options="Mul")
    return to_nchw(c, y)


def over_image(name):
    def run(c):
        x = only(c, c.x(), "float32")
        return emit(c, name, [x, i32(range(2, x.ndim))], options="Reducer", keepDims=True)
    return run


# ---- reductions and normalizations ---------------------------------------------------------------------------------

def reduce_with(name, since=18, types=("float32",)):
    def run(c):
        x, axes = only(c, c.x(), *types), c.ints("axes", 1, since)
        if not axes and c.attr("noop_with_empty_axes"):
            return x
        axes = axes_of(axes, x.ndim, c.op) if axes else list(range(x.ndim))
        return emit(c, name, [x, i32(axes)], options="Reducer", keepDims=bool(c.attr("keepdims")))
    return run


def arg(name, options):
    def run(c):
        x = only(c, c.x(), "float32", "int32")
        axis = axis_of(c.attr("axis"), x.ndim, c.op)
        if c.attr("select_last_index"):
            c.unsupported("select_last_index")
        y = emit(c, name, [x, i32(axis)], np.int64, options=options, outputType=4)
        return reshaped(c, y, x.shape[:axis] + (1,) + x.shape[axis + 1:]) if c.attr("keepdims") else y
    return run


def softmax(name, options, **fields):
    """The library's works along the last axis."""
    def run(c):
        x = only(c, c.x(), "float32")
        axis = axis_of(c.attr("axis"), x.ndim, c.op)
        if c.opset < 13:
            rows = int(np.prod(x.shape[:axis], dtype=np.int64))
            y = emit(c, name, [reshaped(c, x, (rows, x.size // max(rows, 1)))], options=options, **fields)
            return reshaped(c, y, x.shape)
        order = [i for i in range(x.ndim) if i != axis] + [axis]
        y = emit(c, name, [permuted(c, x, order)], options=options, **fields)
        return permuted(c, y, np.argsort(order).tolist())
    return run


def batch_norm(c):
    x = only(c, c.x(0), "float32")
    if c.attr("training_mode") or not c.attr("spatial") or any(c.wants(i) for i in range(1, c.n_out)) or \
            (c.opset < 7 and not c.attr("is_test")):
        c.unsupported("training, or spatial=0")
    scale, bias, mean, var = (c.known(i).astype(np.float64) for i in range(1, 5))
    along = (-1,) + (1,) * (x.ndim - 2)
    factor = scale / np.sqrt(var + c.attr("epsilon"))
    y = emit(c, "MUL", [x, factor.reshape(along).astype(np.float32)], options="Mul")
    return emit(c, "ADD", [y, (bias - mean * factor).reshape(along).astype(np.float32)], options="Add")


def lrn(c):
    x, size = only(c, c.x(), "float32"), c.attr("size")
    if size % 2 == 0:
        c.unsupported("an even size")
    y = emit(c, "LOCAL_RESPONSE_NORMALIZATION", [to_nhwc(c, x)], options="LocalResponseNormalization",
             radius=size // 2, bias=c.attr("bias"), alpha=c.attr("alpha") / size, beta=c.attr("beta"))
    return to_nchw(c, y)


def clip(c):
    x = only(c, c.x(), "float32")
    if c.opset < 11:
        low, high = c.attr("min"), c.attr("max")
    else:
        low, high = (c.known(i).reshape(()) if c.has(i) else None for i in (1, 2))
    for limit, name in ((low, "MAXIMUM"), (high, "MINIMUM")):
        x = x if limit is None else emit(c, name, [x, FLOAT.type(limit)], options="MaximumMinimum")
    return x


def dropout(c):
    if (c.opset >= 12 and c.has(2) and bool(c.known(2).reshape(()))) or (c.opset < 7 and not c.attr("is_test")):
        c.unsupported("training")
    return c.value(0), np.ones(c.x().shape, bool if c.opset >= 10 else np.float32)


def expand(c):
    x = c.x()
    shape = np.broadcast_shapes(x.shape, tuple(c.ints("", 1, 0)))
    return emit(c, "BROADCAST_TO", [x, i32(shape)], options="BroadcastTo", version=2) if shape != x.shape else x


def reciprocal(c):
    return emit(c, "DIV", [np.float32(1), only(c, c.x(), "float32")], FLOAT, options="Div")


def mean(c):
    return emit(c, "DIV", [variadic("ADD", "Add")(c), np.float32(len(c.inputs))], options="Div")


def composed(before, reduction, after=None, since=18):
    """A reduction of a function of x, and a function of that."""
    inner = reduce_with(reduction, since)

    def run(c):
        c.inputs[0] = before(c, only(c, c.x(), "float32"))
        y = inner(c)
        return after(c, y) if after else y
    return run


def square(c, x):
    return emit(c, "MUL", [x, x], options="Mul")


def top_k(c):
    x = only(c, c.x(), "float32")
    if axis_of(c.attr("axis"), x.ndim, c.op) != x.ndim - 1 or not c.attr("largest") or c.opset < 10:
        c.unsupported("other than the largest along the last axis")
    values, places = c.session.library.builder.op("TOPK_V2", [x, i32(int(c.known(1).reshape(-1)[0]))],
                                                  (FLOAT, np.int32), options="TopKV2", outputs=2)
    return values, converted(c, places, np.dtype(np.int64))


def conv_transpose(c):
    x, w = only(c, c.x(0), "float32"), c.x(1)
    if x.ndim != 4 or c.attr("group") != 1 or any(d != 1 for d in c.each("dilations", 2)) or \
            c.attr("auto_pad") != "NOTSET" or c.attr("output_shape") or any(c.each("output_padding", 2)):
        c.unsupported("groups, dilations, automatic pads and output_padding")
    strides, pads = c.each("strides", 2), c.each("pads", 4)
    full = [(n - 1) * s + k for n, s, k in zip(x.shape[2:], strides, w.shape[2:])]
    y = emit(c, "TRANSPOSE_CONV", [i32([x.shape[0], *full, w.shape[1]]), permuted(c, w, (1, 2, 3, 0)), to_nhwc(c, x)],
             FLOAT, options="TransposeConv", padding=VALID, strideH=strides[0], strideW=strides[1])
    if any(pads):
        size = [y.shape[0], full[0] - pads[0] - pads[2], full[1] - pads[1] - pads[3], y.shape[3]]
        y = emit(c, "SLICE", [y, i32([0, pads[0], pads[1], 0]), i32(size)], options="Slice")
    y = emit(c, "ADD", [y, c.x(2)], options="Add") if c.has(2) else y
    return to_nchw(c, y)


def resize(c):
    """Bilinear with half_pixel or align_corners; nearest by whole factors, where all conventions agree."""
    x, mode = only(c, c.x(), "float32"), c.attr("mode")
    where = c.attr("coordinate_transformation_mode")
    if c.opset < 11 or x.ndim != 4 or c.attr("antialias") or c.attr("axes") or c.attr("exclude_outside") or \
            c.attr("keep_aspect_ratio_policy") != "stretch":
        c.unsupported("opset below 11, or other than plain images")
    sizes = c.ints("", 3, 0) if c.has(3) else [int(np.floor(n * f)) for n, f in zip(x.shape, c.known(2).reshape(-1))]
    exact = c.has(3) or all(n * f == size for n, f, size in zip(x.shape, c.known(2).reshape(-1), sizes))
    if tuple(sizes[:2]) != tuple(x.shape[:2]) or not exact:
        c.unsupported("batch and channels, and factors that give no whole sizes")
    if mode == "linear" and where in ("half_pixel", "align_corners"):
        y = emit(c, "RESIZE_BILINEAR", [to_nhwc(c, x), i32(sizes[2:])], options="ResizeBilinear",
                 halfPixelCenters=where == "half_pixel", alignCorners=where == "align_corners")
    elif mode == "nearest" and where == "asymmetric" and c.attr("nearest_mode") == "floor":
        y = emit(c, "RESIZE_NEAREST_NEIGHBOR", [to_nhwc(c, x), i32(sizes[2:])], options="ResizeNearestNeighbor")
    else:
        c.unsupported(f"mode '{mode}' with '{where}'")
    return to_nchw(c, y)


def depth_and_space(name, options):
    def run(c):
        x = only(c, c.x(), "float32")
        if c.attr("mode") != "DCR":
            c.unsupported("mode CRD")
        return to_nchw(c, emit(c, name, [to_nhwc(c, x)], options=options, blockSize=c.attr("blocksize")))
    return run


def selu(c):
    """gamma · (max(x, 0) + alpha · (e^min(x, 0) - 1))"""
    x = only(c, c.x(), "float32")
    low = emit(c, "ELU", [emit(c, "MINIMUM", [x, np.float32(0)], options="MaximumMinimum")])
    low = emit(c, "MUL", [low, FLOAT.type(c.attr("alpha"))], options="Mul")
    y = emit(c, "ADD", [emit(c, "RELU", [x]), low], options="Add")
    return emit(c, "MUL", [y, FLOAT.type(c.attr("gamma"))], options="Mul")


def cumulative(c):
    x = only(c, c.x(), "float32", "int32", "int64")
    axis = axis_of(int(c.known(1).reshape(-1)[0]), x.ndim, c.op)
    return emit(c, "CUMSUM", [x, i32(axis)], options="Cumsum", exclusive=bool(c.attr("exclusive")),
                reverse=bool(c.attr("reverse")))


BOOL = np.dtype(bool)
TABLE = {
    "ConstantOfShape": onnx_shapes.constant_of_shape, "Expand": expand, "Reciprocal": reciprocal, "Mean": mean,
    "TopK": top_k, "ConvTranspose": conv_transpose, "Resize": resize, "Selu": selu, "CumSum": cumulative,
    "DepthToSpace": depth_and_space("DEPTH_TO_SPACE", "DepthToSpace"),
    "SpaceToDepth": depth_and_space("SPACE_TO_DEPTH", "SpaceToDepth"),
    "Xor": binary("NOT_EQUAL", "NotEqual", types=("bool",), result=BOOL),
    "ReduceSumSquare": composed(square, "SUM"), "ReduceL2": composed(square, "SUM", lambda c, y: emit(c, "SQRT", [y])),
    "ReduceL1": composed(lambda c, x: emit(c, "ABS", [x], options="Abs"), "SUM"),
    "ReduceLogSum": composed(lambda c, x: x, "SUM", lambda c, y: emit(c, "LOG", [y])),
    "Size": lambda c: np.asarray(c.x().size, np.int64),
    "Abs": same("ABS", "Abs"), "Neg": same("NEG", "Neg"), "Ceil": same("CEIL"), "Floor": same("FLOOR"),
    "Round": same("ROUND"), "Sqrt": same("SQRT"), "Exp": same("EXP", "Exp"), "Log": same("LOG"), "Sin": same("SIN"),
    "Cos": same("COS", "Cos"), "Tanh": same("TANH"), "Sigmoid": same("LOGISTIC"), "Relu": same("RELU"),
    "HardSwish": same("HARD_SWISH", "HardSwish"), "Sign": same("SIGN", "Sign"),
    "Not": same("LOGICAL_NOT", "LogicalNot", types=("bool",)), "Identity": lambda c: c.value(0),
    "LeakyRelu": lambda c: emit(c, "LEAKY_RELU", [only(c, c.x(), "float32")], options="LeakyRelu",
                                alpha=c.attr("alpha")),
    "Elu": lambda c: emit(c, "ELU", [only(c, c.x(), "float32")]) if c.attr("alpha") == 1.0 else
    c.unsupported("an alpha other than 1"),
    "Gelu": lambda c: emit(c, "GELU", [only(c, c.x(), "float32")], options="Gelu",
                           approximate=c.attr("approximate") == "tanh"),
    "Add": binary("ADD", "Add"), "Sub": binary("SUB", "Sub"), "Mul": binary("MUL", "Mul"), "Div": divide,
    "Pow": binary("POW", "Pow", types=("float32",)), "Max": variadic("MAXIMUM", "MaximumMinimum"),
    "Min": variadic("MINIMUM", "MaximumMinimum"), "Sum": variadic("ADD", "Add"),
    "Equal": binary("EQUAL", "Equal", result=BOOL), "Less": binary("LESS", "Less", result=BOOL),
    "Greater": binary("GREATER", "Greater", result=BOOL),
    "LessOrEqual": binary("LESS_EQUAL", "LessEqual", result=BOOL),
    "GreaterOrEqual": binary("GREATER_EQUAL", "GreaterEqual", result=BOOL),
    "And": binary("LOGICAL_AND", "LogicalAnd", types=("bool",)), "Or": binary("LOGICAL_OR", "LogicalOr", ("bool",)),
    "Where": lambda c: emit(c, "SELECT_V2", [c.x(0), c.x(1), c.x(2)], c.x(1).dtype, options="SelectV2"),
    **onnx_shapes.bindings(reshaped), "Transpose": transpose, "Concat": concat, "Split": split, "Slice": slices,
    "Gather": gather, "Pad": pad, "Cast": cast,
    "Tile": lambda c: emit(c, "TILE", [c.x(), i32(c.ints("", 1, 0))], options="Tile"),
    "Shape": lambda c: np.array(c.x().shape, np.int64)[slice(c.attr("start"), c.attr("end"))],
    "MatMul": matmul, "Gemm": gemm, "Conv": conv, "MaxPool": max_pool, "AveragePool": average_pool,
    "GlobalAveragePool": over_image("MEAN"), "GlobalMaxPool": over_image("REDUCE_MAX"),
    "ReduceSum": reduce_with("SUM", since=13), "ReduceMean": reduce_with("MEAN"),
    "ReduceProd": reduce_with("REDUCE_PROD"),
    "ReduceMax": reduce_with("REDUCE_MAX"), "ReduceMin": reduce_with("REDUCE_MIN"),
    "ArgMax": arg("ARG_MAX", "ArgMax"), "ArgMin": arg("ARG_MIN", "ArgMin"),
    "Softmax": softmax("SOFTMAX", "Softmax", beta=1.0), "LogSoftmax": softmax("LOG_SOFTMAX", "LogSoftmax"),
    "BatchNormalization": batch_norm, "LRN": lrn, "Clip": clip, "Dropout": dropout, "Constant": onnx_shapes.constant,
}

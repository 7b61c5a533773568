"""ONNX operators in Keras: elementwise arithmetic, activations, comparisons, casts, reductions, products.

TABLE maps an operator to a function of one Call (onnx_graph.py).  Keras computes mixed and small types in wider ones:
inputs of a call have one type, and results are cast to the type that ONNX says.
"""

import functools

import numpy as np

import onnx_shapes
import onnx_types
from keras_calls import dims, dtype_of, ops
from onnx_graph import axis_of


def is_float(x):
    return dtype_of(x).name in ("float16", "bfloat16", "float32", "float64")


def need_float(c, x):
    if not is_float(x):
        c.unsupported(f"{dtype_of(x)} input")
    return x


def to_type(x, dtype):
    return x if dtype_of(x) == dtype else ops.cast(x, dtype)


def number(value, x):
    """A constant of the type of x."""
    return np.asarray(value, dtype_of(x))


# ---- one input -----------------------------------------------------------------------------------------------------

def unary(fn, floats=False):
    """A function of one tensor; floats: Keras casts other types to its default float."""
    def run(c):
        x = need_float(c, c.x()) if floats else c.x()
        return to_type(fn(x), dtype_of(x))
    return run


def question(fn):
    return lambda c: fn(c.x())


def alpha(fn):
    """A function of one tensor and the attribute alpha."""
    return lambda c: fn(need_float(c, c.x()), c.attr("alpha"))


def is_inf(c):
    x = c.x()
    up, down = c.attr("detect_positive"), c.attr("detect_negative")
    if up and down:
        return ops.isinf(x)
    if not up and not down:
        return np.zeros(dims(x), bool)
    return (ops.isposinf if up else ops.isneginf)(x)


def celu(c):
    a = c.attr("alpha")
    if a <= 0:
        c.unsupported("alpha must be positive")
    return ops.celu(need_float(c, c.x()), a)


def shrink(c):
    x, bias, lambd = need_float(c, c.x()), c.attr("bias"), c.attr("lambd")
    if bias == lambd and lambd >= 0:
        return ops.soft_shrink(x, lambd)
    if bias == 0 and lambd >= 0:
        return ops.hard_shrink(x, lambd)
    above = ops.where(ops.greater(x, number(lambd, x)), ops.subtract(x, number(bias, x)), number(0, x))
    return ops.where(ops.less(x, number(-lambd, x)), ops.add(x, number(bias, x)), above)


def clip(c):
    x = c.x()
    if c.opset < 11:
        low, high = number(c.attr("min"), x), number(c.attr("max"), x)
    else:
        low, high = c.opt(1), c.opt(2)
    if is_float(x) and c.opset >= 11:  # what is left out is the type's end, which infinities are beyond
        if dtype_of(x).name == "bfloat16":
            c.unsupported("bfloat16")
        ends = np.finfo(dtype_of(x))
        low, high = number(ends.min, x) if low is None else low, number(ends.max, x) if high is None else high
    x = x if low is None else ops.maximum(x, low)
    return x if high is None else ops.minimum(x, high)


def hard_sigmoid(c):
    x = need_float(c, c.x())
    return ops.clip(ops.add(ops.multiply(x, number(c.attr("alpha"), x)), number(c.attr("beta"), x)), 0.0, 1.0)


def selu(c):
    x = need_float(c, c.x())
    return ops.multiply(ops.elu(x, c.attr("alpha")), number(c.attr("gamma"), x))


# ---- two and more inputs -------------------------------------------------------------------------------------------

def pair(c):
    """Both inputs; before opset 7 the second one is broadcast from attribute `axis` on."""
    a, b = c.x(0), c.x(1)
    m, n = len(dims(a)), len(dims(b))
    if c.opset < 7 and c.attr("broadcast") and n and n < m:
        axis = axis_of(c.attr("axis", m - n), m, c.op)
        b = ops.reshape(b, dims(b) + (1,) * (m - axis - n))
    return a, b


def binary(fn):
    def run(c):
        a, b = pair(c)
        return to_type(fn(a, b), dtype_of(a))
    return run


def comparison(fn):
    return lambda c: fn(*pair(c))


def variadic(fn):
    def run(c):
        values = c.all()
        return to_type(functools.reduce(fn, values), dtype_of(values[0]))
    return run


def mean(c):
    values = c.all()
    total = functools.reduce(ops.add, values)
    return ops.divide(total, number(len(values), total))


def div(c):
    a, b = pair(c)
    if not is_float(a):
        c.unsupported("integers: ONNX rounds toward zero")
    return ops.divide(a, b)


def mod(c):
    a, b = pair(c)
    if c.attr("fmod"):
        return to_type(ops.fmod(a, b), dtype_of(a))
    if is_float(a):
        c.unsupported("floating-point numbers need fmod=1")
    return to_type(ops.mod(a, b), dtype_of(a))


def power(c):
    a, b = pair(c)
    if dtype_of(a) != dtype_of(b) or not is_float(a):
        c.unsupported("other types than two equal floats")
    return ops.power(a, b)


def bit_shift(c):
    a, b = pair(c)
    if dtype_of(a).kind != "u":
        c.unsupported("signed integers")
    return to_type((ops.left_shift if c.attr("direction") == "LEFT" else ops.right_shift)(a, b), dtype_of(a))


def prelu(c):
    x, slope = need_float(c, c.x(0)), c.x(1)
    if c.opset < 7 and len(dims(slope)) == 1 and len(dims(x)) > 1 and dims(slope)[0] != 1:
        slope = ops.reshape(slope, (-1,) + (1,) * (len(dims(x)) - 2))
    return ops.where(ops.less(x, number(0, x)), ops.multiply(slope, x), x)


# ---- types ---------------------------------------------------------------------------------------------------------

CASTS = ("bool", "float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8")


def convert(c, x, dtype):
    if dtype.name not in CASTS:
        c.unsupported(f"to {dtype.name}")
    if dtype == np.bool_:
        return ops.not_equal(x, number(0, x))
    return ops.cast(x, dtype)


def cast(c):
    to = c.attr("to")
    if to == onnx_types.STRING or isinstance(to, str):
        c.unsupported("strings")
    return convert(c, c.x(), onnx_types.numpy_type(to))


def cast_like(c):
    return convert(c, c.x(0), dtype_of(c.x(1)))


# ---- reductions ----------------------------------------------------------------------------------------------------

def reduce_with(fn, since=18, floats=False):
    """A reduction over axes: an attribute before opset `since`, then an input."""
    def run(c):
        x = c.x()
        if floats:
            need_float(c, x)
        axes, keep = onnx_shapes.reduced_axes(c, len(dims(x)), since)
        if not axes:
            c.unsupported("no axes")
        return to_type(fn(x, axes, keep), dtype_of(x))
    return run


def total(x, axes, keep):
    return ops.sum(x, axis=axes, keepdims=keep)


def extreme(fn):
    def run(c):
        x = c.x()
        axes, keep = onnx_shapes.reduced_axes(c, len(dims(x)), 18)
        if not axes or 0 in dims(x):
            c.unsupported("no axes, or no elements")
        return to_type(fn(x, axis=axes, keepdims=keep), dtype_of(x))
    return run


def arg(fn):
    def run(c):
        x = c.x()
        axis = axis_of(c.attr("axis"), len(dims(x)), c.op)
        if c.attr("select_last_index"):
            c.unsupported("select_last_index")
        return ops.cast(fn(x, axis=axis, keepdims=bool(c.attr("keepdims"))), np.dtype(np.int64))
    return run


def along_axis(fn):
    """Softmax and its kin: before opset 13 the input counts as a matrix, cut at `axis`."""
    def run(c):
        x = need_float(c, c.x())
        axis = axis_of(c.attr("axis"), len(dims(x)), c.op)
        if c.opset >= 13:
            return fn(x, axis=axis)
        rows, columns = onnx_shapes.product(dims(x)[:axis]), onnx_shapes.product(dims(x)[axis:])
        return ops.reshape(fn(ops.reshape(x, (rows, columns)), axis=1), dims(x))
    return run


def hardmax(x, axis):
    return ops.one_hot(ops.argmax(x, axis=axis), dims(x)[axis], axis=axis, dtype=dtype_of(x))


def cumulative(c):
    x = c.x()
    axis = axis_of(int(c.known(1).reshape(-1)[0]), len(dims(x)), c.op)
    if c.attr("exclusive"):
        c.unsupported("exclusive")
    x = ops.flip(x, axis=axis) if c.attr("reverse") else x
    y = to_type(ops.cumsum(x, axis=axis), dtype_of(x))
    return ops.flip(y, axis=axis) if c.attr("reverse") else y


# ---- products ------------------------------------------------------------------------------------------------------

def gemm(c):
    a, b, bias = need_float(c, c.x(0)), c.x(1), c.opt(2)
    a = ops.transpose(a, (1, 0)) if c.attr("transA") else a
    b = ops.transpose(b, (1, 0)) if c.attr("transB") else b
    y = ops.matmul(a, b)
    y = y if c.attr("alpha") == 1 else ops.multiply(y, number(c.attr("alpha"), y))
    if bias is None:
        return y
    return ops.add(y, bias if c.attr("beta") == 1 else ops.multiply(bias, number(c.attr("beta"), bias)))


def matmul(c):
    a, b = need_float(c, c.x(0)), c.x(1)
    return ops.matmul(a, b)


def einsum(c):
    values = c.all()
    need_float(c, values[0])
    return to_type(ops.einsum(c.attr("equation").replace(" ", ""), *values), dtype_of(values[0]))


TABLE = {
    "Abs": unary(ops.abs), "Neg": unary(ops.negative), "Ceil": unary(ops.ceil, True), "Floor": unary(ops.floor, True),
    "Round": unary(ops.round, True), "Sqrt": unary(ops.sqrt, True), "Exp": unary(ops.exp, True),
    "Log": unary(ops.log, True), "Sin": unary(ops.sin, True), "Cos": unary(ops.cos, True),
    "Tan": unary(ops.tan, True), "Asin": unary(ops.arcsin, True), "Acos": unary(ops.arccos, True),
    "Atan": unary(ops.arctan, True), "Sinh": unary(ops.sinh, True), "Cosh": unary(ops.cosh, True),
    "Tanh": unary(ops.tanh, True), "Asinh": unary(ops.arcsinh, True), "Acosh": unary(ops.arccosh, True),
    "Atanh": unary(ops.arctanh, True), "Erf": unary(ops.erf, True), "Sign": unary(ops.sign),
    "Reciprocal": unary(ops.reciprocal, True), "Not": question(ops.logical_not), "IsNaN": question(ops.isnan),
    "BitwiseNot": unary(lambda x: ops.bitwise_not(x)), "Identity": lambda c: c.value(0), "Relu": unary(ops.relu),
    "Sigmoid": unary(ops.sigmoid, True), "Softplus": unary(ops.softplus, True),
    "Softsign": unary(ops.softsign, True), "HardSwish": unary(ops.hard_silu, True),
    "Mish": unary(lambda x: ops.multiply(x, ops.tanh(ops.softplus(x))), True), "IsInf": is_inf,
    "Celu": celu, "Shrink": shrink, "Clip": clip, "LeakyRelu": alpha(ops.leaky_relu), "Elu": alpha(ops.elu),
    "ThresholdedRelu": alpha(lambda x, a: ops.threshold(x, a, 0.0)),
    "Swish": alpha(lambda x, a: ops.silu(x) if a == 1 else
                   ops.multiply(x, ops.sigmoid(ops.multiply(x, number(a, x))))),
    "Selu": selu, "HardSigmoid": hard_sigmoid,
    "Gelu": lambda c: ops.gelu(need_float(c, c.x()), approximate=c.attr("approximate") == "tanh"),
    "PRelu": prelu, "Add": binary(ops.add), "Sub": binary(ops.subtract), "Mul": binary(ops.multiply), "Div": div,
    "Mod": mod, "Pow": power, "BitShift": bit_shift, "And": comparison(ops.logical_and),
    "Or": comparison(ops.logical_or), "Xor": comparison(ops.logical_xor),
    "BitwiseAnd": binary(lambda a, b: ops.bitwise_and(a, b)), "BitwiseOr": binary(lambda a, b: ops.bitwise_or(a, b)),
    "BitwiseXor": binary(lambda a, b: ops.bitwise_xor(a, b)), "Equal": comparison(ops.equal),
    "Less": comparison(ops.less), "Greater": comparison(ops.greater), "LessOrEqual": comparison(ops.less_equal),
    "GreaterOrEqual": comparison(ops.greater_equal), "Max": variadic(ops.maximum), "Min": variadic(ops.minimum),
    "Sum": variadic(ops.add), "Mean": mean,
    "Where": lambda c: to_type(ops.where(c.x(0), c.x(1), c.x(2)), dtype_of(c.x(1))),
    "Cast": cast, "CastLike": cast_like, "ReduceSum": reduce_with(total, since=13),
    "ReduceProd": reduce_with(lambda x, a, k: ops.prod(x, axis=a, keepdims=k)),
    "ReduceMax": extreme(ops.max), "ReduceMin": extreme(ops.min),
    "ReduceMean": reduce_with(lambda x, a, k: ops.mean(x, axis=a, keepdims=k), floats=True),
    "ReduceL1": reduce_with(lambda x, a, k: total(ops.abs(x), a, k), floats=True),
    "ReduceL2": reduce_with(lambda x, a, k: ops.sqrt(total(ops.square(x), a, k)), floats=True),
    "ReduceSumSquare": reduce_with(lambda x, a, k: total(ops.square(x), a, k), floats=True),
    "ReduceLogSum": reduce_with(lambda x, a, k: ops.log(total(x, a, k)), floats=True),
    "ReduceLogSumExp": reduce_with(lambda x, a, k: ops.logsumexp(x, axis=a, keepdims=k), floats=True),
    "ArgMax": arg(ops.argmax), "ArgMin": arg(ops.argmin), "Softmax": along_axis(ops.softmax),
    "LogSoftmax": along_axis(ops.log_softmax), "Hardmax": along_axis(hardmax), "CumSum": cumulative, "Gemm": gemm,
    "MatMul": matmul, "Einsum": einsum, "Det": unary(ops.det, True),
}

"""ONNX operators in JAX: elementwise arithmetic, activations, comparisons, casts, reductions, products.

TABLE maps an operator to a function of one Call (onnx_graph.py).
"""

import functools
import operator

import numpy as np

import onnx_shapes
import onnx_types
from jax_calls import jax, jnp, lax
from onnx_graph import axis_of


def is_float(x):
    return jnp.issubdtype(x.dtype, jnp.floating)


def need_float(c, x):
    if not is_float(x):
        c.unsupported(f"{x.dtype.name} input")
    return x


# ---- one input -----------------------------------------------------------------------------------------------------

def unary(fn, floats=False):
    """A function of one array; floats: JAX has it for floating-point types only."""
    return lambda c: fn(need_float(c, c.x()) if floats else c.x())


def alpha(fn):
    """A function of one array and the attribute alpha."""
    return lambda c: fn(need_float(c, c.x()), c.attr("alpha"))


def is_inf(c):
    x = c.x()
    no = jnp.zeros(x.shape, dtype=bool)
    return (jnp.isposinf(x) if c.attr("detect_positive") else no) | \
        (jnp.isneginf(x) if c.attr("detect_negative") else no)


def celu(c):
    a = c.attr("alpha")
    if a <= 0:
        c.unsupported("alpha must be positive")
    return jax.nn.celu(c.x(), a)


def shrink(c):
    x, bias, lambd = c.x(), c.attr("bias"), c.attr("lambd")
    need_float(c, x)
    return jnp.where(x < -lambd, x + bias, jnp.where(x > lambd, x - bias, jnp.zeros_like(x)))


def clip(c):
    x = c.x()
    if c.opset < 11:
        return jnp.clip(x, c.attr("min"), c.attr("max"))
    low, high = c.opt(1), c.opt(2)
    if jnp.issubdtype(x.dtype, jnp.floating):  # what is left out is the type's end, which infinities are beyond
        ends = jnp.finfo(x.dtype)
        low, high = ends.min if low is None else low, ends.max if high is None else high
    x = x if low is None else jnp.maximum(x, low)
    return x if high is None else jnp.minimum(x, high)


# ---- two and more inputs -------------------------------------------------------------------------------------------

def pair(c):
    """Both inputs; before opset 7 the second one is broadcast from attribute `axis` on."""
    a, b = c.x(0), c.x(1)
    if c.opset < 7 and c.attr("broadcast") and b.ndim and b.ndim < a.ndim:
        axis = axis_of(c.attr("axis", a.ndim - b.ndim), a.ndim, c.op)
        b = b.reshape(b.shape + (1,) * (a.ndim - axis - b.ndim))
    return a, b


def binary(fn):
    return lambda c: fn(*pair(c))


def variadic(fn):
    return lambda c: functools.reduce(fn, c.all())


def mean(c):
    values = c.all()
    return functools.reduce(jnp.add, values) / len(values)


def div(a, b):
    return lax.div(*jnp.broadcast_arrays(a, b))


def mod(c):
    a, b = jnp.broadcast_arrays(*pair(c))
    if c.attr("fmod"):
        return lax.rem(a, b)
    if is_float(a):
        c.unsupported("floating-point numbers need fmod=1")
    return jnp.mod(a, b)


def power(c):
    a, b = pair(c)
    if is_float(a):
        if not is_float(b) and b.dtype != a.dtype:
            wide = jnp.promote_types(jnp.float64, a.dtype)
            return jnp.power(a.astype(wide), b.astype(wide)).astype(a.dtype)
        return jnp.power(a, b.astype(a.dtype)) if a.dtype == b.dtype else jnp.power(a, b).astype(a.dtype)
    if is_float(b):
        return jnp.power(a.astype(jnp.float64), b.astype(jnp.float64)).astype(a.dtype)
    if (c.known(1) < 0).any():
        c.unsupported("negative powers of integers")
    return jnp.power(a, b.astype(a.dtype))


def bit_shift(c):
    """Shifts by less than 0, or by the width and more, are open in JAX.  ONNX has the sign alone then, which all places
    but one leave, and else 0.  Signed numbers, which opset 28 brought, keep their sign on the way right."""
    a, b = jnp.broadcast_arrays(*pair(c))
    last = a.dtype.itemsize * 8 - 1
    beyond = (b > last) | (b < 0)
    by = jnp.where(beyond, last, b).astype(b.dtype)
    left = c.attr("direction") == "LEFT"
    if a.dtype.kind == "i" and not left:
        return lax.shift_right_arithmetic(a, by)
    return jnp.where(beyond, 0, (lax.shift_left if left else lax.shift_right_logical)(a, by)).astype(a.dtype)


def prelu(c):
    x, slope = c.x(0), c.x(1)
    if c.opset < 7 and slope.ndim == 1 and x.ndim > 1 and slope.shape[0] != 1:
        slope = slope.reshape((-1,) + (1,) * (x.ndim - 2))
    return jnp.where(x < 0, slope * x, x)


# ---- types ---------------------------------------------------------------------------------------------------------

SMALL_FLOATS = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")


def convert(c, x, dtype):
    """x in another type.  What does not fit a small float becomes its largest number, unless saturate is 0."""
    if dtype == np.bool_:
        return x != 0
    if dtype.name in SMALL_FLOATS and c.attr("saturate"):
        top = np.asarray(jnp.finfo(dtype).max).astype(np.float32)
        x = x.astype(jnp.float32) if not is_float(x) or x.dtype.itemsize < 4 else x
        x = jnp.clip(x, -top.astype(x.dtype), top.astype(x.dtype))
    if dtype.name.startswith("float4"):
        c.unsupported("four-bit floats")
    if dtype.name == "float8_e8m0fnu":
        c.unsupported("powers of two, which JAX rounds to in its own way")
    return x.astype(dtype)


def cast(c):
    to = c.attr("to")
    if to == onnx_types.STRING or isinstance(to, str):
        c.unsupported("strings")
    return convert(c, c.x(), onnx_types.numpy_type(to))


def cast_like(c):
    return convert(c, c.x(0), c.x(1).dtype)


# ---- reductions ----------------------------------------------------------------------------------------------------

def reduce_with(fn, since=18, floats=False):
    """A reduction over axes: an attribute before opset `since`, then an input."""
    def run(c):
        x = c.x()
        if floats:
            need_float(c, x)
        return fn(x, *onnx_shapes.reduced_axes(c, x.ndim, since))
    return run


def total(x, axes, keep):
    return jnp.sum(x, axis=axes, keepdims=keep, dtype=x.dtype)


def product(x, axes, keep):
    return jnp.prod(x, axis=axes, keepdims=keep, dtype=x.dtype)


def lowest(x):
    if x.dtype == np.bool_:
        return False
    return -jnp.inf if is_float(x) else jnp.iinfo(x.dtype).min


def highest(x):
    if x.dtype == np.bool_:
        return True
    return jnp.inf if is_float(x) else jnp.iinfo(x.dtype).max


def reduce_max(x, axes, keep):
    return jnp.max(x, axis=axes, keepdims=keep, initial=lowest(x))


def reduce_min(x, axes, keep):
    return jnp.min(x, axis=axes, keepdims=keep, initial=highest(x))


def arg(fn):
    def run(c):
        x = c.x()
        axis = axis_of(c.attr("axis"), x.ndim, c.op)
        if c.attr("select_last_index"):
            found = x.shape[axis] - 1 - fn(jnp.flip(x, axis), axis=axis)
        else:
            found = fn(x, axis=axis)
        found = found.astype(jnp.int64)
        return jnp.expand_dims(found, axis) if c.attr("keepdims") else found
    return run


# Softmax and its kin: before opset 13 the input counts as a matrix, cut at `axis`.
def along_axis(fn):
    def run(c):
        x = need_float(c, c.x())
        axis = axis_of(c.attr("axis"), x.ndim, c.op)
        if c.opset >= 13:
            return fn(x, axis)
        rows = int(np.prod(x.shape[:axis], dtype=np.int64))
        return fn(x.reshape(rows, -1 if rows else 0), 1).reshape(x.shape)
    return run


def hardmax(x, axis):
    return jax.nn.one_hot(jnp.argmax(x, axis=axis), x.shape[axis], dtype=x.dtype, axis=axis)


def cumulative(c):
    x = c.x()
    axis = axis_of(int(c.known(1).reshape(-1)[0]), x.ndim, c.op)
    x = jnp.flip(x, axis) if c.attr("reverse") else x
    if c.attr("exclusive"):
        zero = jnp.zeros_like(lax.slice_in_dim(x, 0, min(1, x.shape[axis]), axis=axis))
        x = jnp.concatenate([zero, lax.slice_in_dim(x, 0, max(x.shape[axis] - 1, 0), axis=axis)], axis)
    y = jnp.cumsum(x, axis=axis, dtype=x.dtype)
    return jnp.flip(y, axis) if c.attr("reverse") else y


# ---- products ------------------------------------------------------------------------------------------------------

def gemm(c):
    a, b, bias = c.x(0), c.x(1), c.opt(2)
    a = a.T if c.attr("transA") else a
    b = b.T if c.attr("transB") else b
    if not is_float(a) and (c.attr("alpha") != 1.0 or c.attr("beta") != 1.0):
        c.unsupported("integers times alpha and beta")
    y = jnp.matmul(a, b)
    if is_float(a):
        y = c.attr("alpha") * y
        bias = None if bias is None else c.attr("beta") * bias
    return y if bias is None else y + bias


def matmul(c):
    return jnp.matmul(c.x(0), c.x(1))


def zero_point_columns(zero, x, rows):
    """A zero point that is one number, or one for each row (rows) or column, as something to subtract from x."""
    if zero is None:
        return jnp.zeros((), jnp.int32)
    zero = zero.astype(jnp.int32)
    return zero.reshape(-1, 1) if rows and zero.ndim == 1 and zero.size > 1 and x.ndim > 1 else zero


def matmul_integer(c):
    a, b = c.x(0), c.x(1)
    return jnp.matmul(a.astype(jnp.int32) - zero_point_columns(c.opt(2), a, True),
                      b.astype(jnp.int32) - zero_point_columns(c.opt(3), b, False))


def einsum(c):
    return jnp.einsum(c.attr("equation").replace(" ", ""), *c.all())


# ---- quantization --------------------------------------------------------------------------------------------------

def spread(c, x, v):
    """A scale or zero point of shape (), (C) or in blocks, as an array that broadcasts over x."""
    if v.ndim == 0 or v.size == 1 and not c.attr("block_size"):
        return v.reshape(())
    axis = axis_of(c.attr("axis"), x.ndim, c.op)
    if v.ndim == 1:
        return v.reshape((-1,) + (1,) * (x.ndim - axis - 1))
    block = c.attr("block_size")
    if not block:
        c.unsupported("a scale of several axes without block_size")
    return lax.slice_in_dim(jnp.repeat(v, block, axis=axis), 0, x.shape[axis], axis=axis)


def quantize(c):
    x, scale = c.x(0), c.x(1)
    to = c.x(2).dtype if c.has(2) else onnx_types.numpy_type(c.attr("output_dtype") or 2)
    if c.attr("precision") not in (0, 1):
        c.unsupported("precision other than float32")
    y = x.astype(scale.dtype) / spread(c, x, scale)
    if to.name in SMALL_FLOATS:
        if c.has(2):
            y = y + spread(c, x, c.x(2)).astype(y.dtype)
        return convert(c, y, to)
    if to.name.startswith("float"):
        c.unsupported(f"to {to.name}")
    y = jnp.round(y)
    y = y + spread(c, x, c.x(2)).astype(y.dtype) if c.has(2) else y
    info = jnp.iinfo(to)
    return jnp.clip(y, int(info.min), int(info.max)).astype(to)


def dequantize(c):
    x, scale = c.x(0), c.x(1)
    if c.attr("output_dtype"):
        c.unsupported("output_dtype")
    y = x.astype(scale.dtype if x.dtype.name.startswith("float") else jnp.int32)
    if c.has(2):
        y = y - spread(c, x, c.x(2)).astype(y.dtype)
    return y.astype(scale.dtype) * spread(c, x, scale)


def dynamic_quantize(c):
    x = c.x()
    low, high = jnp.minimum(x.min(), 0), jnp.maximum(x.max(), 0)
    scale = lax.div(high - low, jnp.asarray(255, x.dtype))  # an array: XLA multiplies by the inverse of a constant
    zero = jnp.round(jnp.clip(-low / scale, 0, 255))
    return jnp.clip(jnp.round(x / scale) + zero, 0, 255).astype(jnp.uint8), scale, zero.astype(jnp.uint8)


TABLE = {
    "Abs": unary(jnp.abs), "Neg": unary(jnp.negative), "Ceil": unary(jnp.ceil, True), "Floor": unary(jnp.floor, True),
    "Round": unary(jnp.round, True), "Sqrt": unary(jnp.sqrt, True), "Exp": unary(jnp.exp, True),
    "Log": unary(jnp.log, True), "Sin": unary(jnp.sin, True), "Cos": unary(jnp.cos, True),
    "Tan": unary(jnp.tan, True), "Asin": unary(jnp.arcsin, True), "Acos": unary(jnp.arccos, True),
    "Atan": unary(jnp.arctan, True), "Sinh": unary(jnp.sinh, True), "Cosh": unary(jnp.cosh, True),
    "Tanh": unary(jnp.tanh, True), "Asinh": unary(jnp.arcsinh, True), "Acosh": unary(jnp.arccosh, True),
    "Atanh": unary(jnp.arctanh, True), "Erf": unary(lax.erf, True), "Sign": unary(jnp.sign),
    "Reciprocal": unary(jnp.reciprocal, True), "Not": unary(jnp.logical_not), "IsNaN": unary(jnp.isnan),
    "BitwiseNot": unary(jnp.bitwise_not), "Identity": lambda c: c.value(0), "Relu": unary(jax.nn.relu),
    "Sigmoid": unary(jax.nn.sigmoid, True), "Softplus": unary(jax.nn.softplus, True),
    "Softsign": unary(jax.nn.soft_sign, True), "Mish": unary(jax.nn.mish, True),
    "HardSwish": unary(jax.nn.hard_swish, True), "IsInf": is_inf, "Celu": celu, "Shrink": shrink, "Clip": clip,
    "LeakyRelu": alpha(jax.nn.leaky_relu), "Elu": alpha(jax.nn.elu),
    "ThresholdedRelu": alpha(lambda x, a: jnp.where(x > a, x, jnp.zeros_like(x))),
    "Swish": alpha(lambda x, a: x * jax.nn.sigmoid(a * x)),
    "Selu": lambda c: c.attr("gamma") * jax.nn.elu(c.x(), c.attr("alpha")),
    "HardSigmoid": lambda c: jnp.clip(c.attr("alpha") * c.x() + c.attr("beta"), 0, 1),
    "Gelu": lambda c: jax.nn.gelu(c.x(), approximate=c.attr("approximate") == "tanh"),
    "PRelu": prelu, "Add": binary(jnp.add), "Sub": binary(jnp.subtract), "Mul": binary(jnp.multiply),
    "Div": binary(div), "Mod": mod, "Pow": power, "BitShift": bit_shift, "And": binary(jnp.logical_and),
    "Or": binary(jnp.logical_or), "Xor": binary(jnp.logical_xor), "BitwiseAnd": binary(jnp.bitwise_and),
    "BitwiseOr": binary(jnp.bitwise_or), "BitwiseXor": binary(jnp.bitwise_xor), "Equal": binary(operator.eq),
    "Less": binary(operator.lt), "Greater": binary(operator.gt), "LessOrEqual": binary(operator.le),
    "GreaterOrEqual": binary(operator.ge), "Max": variadic(jnp.maximum), "Min": variadic(jnp.minimum),
    "Sum": variadic(jnp.add), "Mean": mean, "Where": lambda c: jnp.where(c.x(0), c.x(1), c.x(2)),
    "Cast": cast, "CastLike": cast_like, "ReduceSum": reduce_with(total, since=13),
    "ReduceProd": reduce_with(product), "ReduceMax": reduce_with(reduce_max), "ReduceMin": reduce_with(reduce_min),
    "ReduceMean": reduce_with(lambda x, a, k: jnp.mean(x, axis=a, keepdims=k), floats=True),
    "ReduceL1": reduce_with(lambda x, a, k: total(jnp.abs(x), a, k)),
    "ReduceL2": reduce_with(lambda x, a, k: jnp.sqrt(total(x * x, a, k)), floats=True),
    "ReduceSumSquare": reduce_with(lambda x, a, k: total(x * x, a, k)),
    "ReduceLogSum": reduce_with(lambda x, a, k: jnp.log(total(x, a, k)), floats=True),
    "ReduceLogSumExp": reduce_with(lambda x, a, k: jax.nn.logsumexp(x, axis=a, keepdims=k), floats=True),
    "ArgMax": arg(jnp.argmax), "ArgMin": arg(jnp.argmin), "Softmax": along_axis(jax.nn.softmax),
    "LogSoftmax": along_axis(jax.nn.log_softmax), "Hardmax": along_axis(hardmax), "CumSum": cumulative, "Gemm": gemm,
    "MatMul": matmul, "MatMulInteger": matmul_integer, "Einsum": einsum, "Det": unary(jnp.linalg.det, True),
    "QuantizeLinear": quantize, "DequantizeLinear": dequantize, "DynamicQuantizeLinear": dynamic_quantize,
}

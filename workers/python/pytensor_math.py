"""ONNX operators in PyTensor: elementwise arithmetic, activations, comparisons, casts, reductions, products.

TABLE maps an operator to a function of one Call (onnx_graph.py).
"""

import functools
import operator

import numpy as np

import onnx_shapes
import onnx_types
from onnx_graph import axis_of
from pytensor_calls import pt, special


def is_float(x):
    return x.dtype.startswith("float")


def shape_of(c, x):
    """The static shape of a variable, which all that these bindings build has."""
    if any(n is None for n in x.type.shape):
        c.unsupported("a shape is not known while the graph is built")
    return x.type.shape


def number(value, x):
    """A constant in x's type: Python's own would widen it."""
    return np.asarray(value, dtype=x.dtype)


# ---- one input -----------------------------------------------------------------------------------------------------

def unary(fn):
    """A function of one array of floating-point numbers: PyTensor would make such of whole ones."""
    def run(c):
        x = c.x()
        if not is_float(x):
            c.unsupported(f"{x.dtype} input")
        return fn(x)
    return run


def alpha(fn):
    """A function of one array and the attribute alpha."""
    return lambda c: unary(lambda x: fn(x, number(c.attr("alpha"), x)))(c)


def relu(x):
    return pt.maximum(x, number(0, x))


def elu(x, a):
    return pt.switch(x > 0, x, a * pt.expm1(pt.minimum(x, number(0, x))))


def selu(c):
    def fn(x):
        return number(c.attr("gamma"), x) * elu(x, number(c.attr("alpha"), x))
    return unary(fn)(c)


def hard_sigmoid(c):
    return unary(lambda x: pt.clip(number(c.attr("alpha"), x) * x + number(c.attr("beta"), x),
                                   number(0, x), number(1, x)))(c)


def is_inf(c):
    x = c.x()
    inf = number(np.inf, x)
    signs = [s * inf for s, name in ((1, "detect_positive"), (-1, "detect_negative")) if c.attr(name)]
    return functools.reduce(pt.or_, [pt.eq(x, s) for s in signs], pt.zeros_like(x, dtype="bool"))


def clip(c):
    x = c.x()
    if c.opset < 11:
        low, high = (number(v, x) if v is not None else None for v in (c.attr("min"), c.attr("max")))
    else:
        low, high = c.opt(1), c.opt(2)
    x = x if low is None else pt.maximum(x, low)
    return x if high is None else pt.minimum(x, high)


# ---- two and more inputs -------------------------------------------------------------------------------------------

def pair(c):
    """Both inputs; before opset 7 the second one is broadcast from attribute `axis` on."""
    a, b = c.x(0), c.x(1)
    if c.opset < 7 and c.attr("broadcast") and b.ndim and b.ndim < a.ndim:
        axis = axis_of(c.attr("axis", a.ndim - b.ndim), a.ndim, c.op)
        b = b.reshape(shape_of(c, b) + (1,) * (a.ndim - axis - b.ndim))
    return a, b


def binary(fn):
    return lambda c: fn(*pair(c))


def arithmetic(fn):
    """In the type of the operands: PyTensor widens small whole numbers."""
    def run(c):
        a, b = pair(c)
        return fn(a, b).astype(a.dtype)
    return run


def variadic(fn):
    return lambda c: functools.reduce(fn, c.all())


def mean(c):
    values = c.all()
    total = functools.reduce(operator.add, values)
    return total / number(len(values), total)


def divide(a, b):
    """Whole numbers are cut towards zero; PyTensor's cut towards -∞."""
    if is_float(a):
        return a / b
    down = a // b
    return pt.switch(pt.and_(pt.neq(a - down * b, 0), down < 0), down + 1, down)


def power(c):
    a, b = pair(c)
    if not is_float(a):
        c.unsupported("powers of whole numbers")
    return pt.power(a, b.astype(a.dtype))


def prelu(c):
    x, slope = c.x(0), c.x(1)
    if c.opset < 7 and slope.ndim == 1 and x.ndim > 1 and shape_of(c, slope)[0] != 1:
        slope = slope.reshape((-1,) + (1,) * (x.ndim - 2))
    return pt.switch(x < 0, slope * x, x)


def cast(c):
    to = c.attr("to")
    if to == onnx_types.STRING or isinstance(to, str) or not c.x().dtype.startswith(("int", "uint", "float", "bool")):
        c.unsupported("strings")
    name = onnx_types.numpy_type(to).name
    if name not in ("bool", "float16", "float32", "float64") and not name.startswith(("int", "uint")):
        c.unsupported(f"type {name}")
    return pt.neq(c.x(), 0) if name == "bool" else c.x().astype(name)


# ---- reductions ----------------------------------------------------------------------------------------------------

def reduce_with(fn, since=18):
    """A reduction over axes: an attribute before opset `since`, then an input."""
    def run(c):
        x = c.x()
        return fn(x, *onnx_shapes.reduced_axes(c, x.ndim, since))
    return run


def total(x, axes, keep):
    return pt.sum(x, axis=axes, keepdims=keep, dtype=x.dtype)


def average(x, axes, keep):
    return pt.mean(x, axis=axes, keepdims=keep).astype(x.dtype)


def extreme(fn):
    """A maximum or minimum, which PyTensor has of something only."""
    def run(c):
        if 0 in shape_of(c, c.x()):
            c.unsupported("nothing to choose from")
        return reduce_with(lambda x, a, k: fn(x, axis=a, keepdims=k))(c)
    return run


def arg(fn):
    def run(c):
        x = c.x()
        axis = axis_of(c.attr("axis"), x.ndim, c.op)
        if c.attr("select_last_index"):
            c.unsupported("select_last_index")
        return fn(x, axis=axis, keepdims=bool(c.attr("keepdims"))).astype("int64")
    return run


# Softmax and its kin: before opset 13 the input counts as a matrix, cut at `axis`.
def along_axis(fn):
    def run(c):
        x = c.x()
        shape = shape_of(c, x)
        axis = axis_of(c.attr("axis"), x.ndim, c.op)
        if c.opset >= 13:
            return fn(x, axis=axis)
        rows = int(np.prod(shape[:axis], dtype=np.int64))
        columns = int(np.prod(shape[axis:], dtype=np.int64))
        return fn(x.reshape((rows, columns)), axis=1).reshape(shape)
    return run


# ---- products ------------------------------------------------------------------------------------------------------

def gemm(c):
    a, b, bias = c.x(0), c.x(1), c.opt(2)
    a = a.T if c.attr("transA") else a
    b = b.T if c.attr("transB") else b
    if not is_float(a):
        c.unsupported(f"{a.dtype} input")
    y = number(c.attr("alpha"), a) * pt.dot(a, b)
    return y if bias is None else y + number(c.attr("beta"), a) * bias


TABLE = {
    "Abs": lambda c: pt.abs(c.x()), "Neg": lambda c: -c.x(), "Sign": lambda c: pt.sign(c.x()),
    "Ceil": unary(pt.ceil), "Floor": unary(pt.floor), "Round": unary(lambda x: pt.round(x, mode="half_to_even")),
    "Sqrt": unary(pt.sqrt), "Exp": unary(pt.exp), "Log": unary(pt.log), "Sin": unary(pt.sin), "Cos": unary(pt.cos),
    "Tan": unary(pt.tan), "Asin": unary(pt.arcsin), "Acos": unary(pt.arccos), "Atan": unary(pt.arctan),
    "Sinh": unary(pt.sinh), "Cosh": unary(pt.cosh), "Tanh": unary(pt.tanh), "Asinh": unary(pt.arcsinh),
    "Acosh": unary(pt.arccosh), "Atanh": unary(pt.arctanh), "Erf": unary(pt.erf),
    "Reciprocal": unary(pt.reciprocal), "Not": lambda c: pt.invert(c.x()), "IsNaN": unary(pt.isnan), "IsInf": is_inf,
    "Identity": lambda c: c.value(0), "Relu": lambda c: relu(c.x()), "Sigmoid": unary(pt.sigmoid),
    "Softplus": unary(pt.softplus), "Softsign": unary(lambda x: x / (number(1, x) + pt.abs(x))), "Clip": clip,
    "LeakyRelu": alpha(lambda x, a: pt.switch(x >= 0, x, a * x)), "Elu": alpha(elu),
    "ThresholdedRelu": alpha(lambda x, a: pt.switch(x > a, x, number(0, x))), "Selu": selu,
    "HardSigmoid": hard_sigmoid, "PRelu": prelu,
    "Add": arithmetic(operator.add), "Sub": arithmetic(operator.sub), "Mul": arithmetic(operator.mul),
    "Div": arithmetic(divide), "Pow": power, "And": binary(pt.and_), "Or": binary(pt.or_), "Xor": binary(pt.xor),
    "Equal": binary(pt.eq), "Less": binary(pt.lt), "Greater": binary(pt.gt), "LessOrEqual": binary(pt.le),
    "GreaterOrEqual": binary(pt.ge), "Max": variadic(pt.maximum), "Min": variadic(pt.minimum),
    "Sum": variadic(operator.add), "Mean": mean, "Where": lambda c: pt.switch(c.x(0), c.x(1), c.x(2)), "Cast": cast,
    "ReduceSum": reduce_with(total, since=13), "ReduceMean": reduce_with(average),
    "ReduceMax": extreme(pt.max), "ReduceMin": extreme(pt.min),
    "ReduceProd": reduce_with(lambda x, a, k: pt.prod(x, axis=a, keepdims=k, dtype=x.dtype)),
    "ReduceL1": reduce_with(lambda x, a, k: total(pt.abs(x), a, k)),
    "ReduceL2": reduce_with(lambda x, a, k: pt.sqrt(total(x * x, a, k)).astype(x.dtype)),
    "ReduceSumSquare": reduce_with(lambda x, a, k: total(x * x, a, k)),
    "ArgMax": arg(pt.argmax), "ArgMin": arg(pt.argmin), "Softmax": along_axis(special.softmax),
    "LogSoftmax": along_axis(special.log_softmax), "Gemm": gemm, "MatMul": lambda c: pt.matmul(c.x(0), c.x(1)),
}

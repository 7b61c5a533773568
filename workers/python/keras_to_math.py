"""Keras layers as ONNX nodes: activations, products, merging, scaling; TABLE has a row for each class."""

import math

import numpy as np

from keras_layer import FLOAT, Row

# ---- activations -----------------------------------------------------------------------------------------------------


def unary(op, **attributes):
    return lambda c, x: c.same(op, x, **attributes)


def times(c, x, value):
    return c.same("Mul", x, c.constant(value))


def gelu(c, x, approximate=False):
    if approximate:  # x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))
        cube = c.same("Mul", x, c.same("Mul", x, x))
        inner = times(c, c.same("Add", x, times(c, cube, 0.044715)), math.sqrt(2 / math.pi))
        curve = c.same("Tanh", inner)
    else:
        curve = c.same("Erf", times(c, x, math.sqrt(0.5)))
    return c.same("Mul", times(c, x, 0.5), c.same("Add", curve, c.constant(1)))


def hard_sigmoid(c, x):
    return c.same("HardSigmoid", x, alpha=0.2 if c.old else 1 / 6, beta=0.5)


def softmax(c, x, axis=-1):
    axes = c.axes(axis, x.rank)
    if len(axes) == 1:
        return c.same("Softmax", x, axis=axes[0])
    raised = c.same("Exp", c.same("Sub", x, c.reduce("ReduceMax", x, axes)))
    return c.same("Div", raised, c.reduce("ReduceSum", raised, axes))


def relu(c, x, negative_slope=0.0, max_value=None, threshold=0.0):
    """x from the threshold on, up to the largest value; below it slope · (x - threshold)."""
    if not threshold:
        y = c.same("LeakyRelu", x, alpha=float(negative_slope)) if negative_slope else c.same("Relu", x)
    else:
        edge = c.constant(threshold)
        below = times(c, c.same("Sub", x, edge), negative_slope)
        y = c.op("Where", [c.op("GreaterOrEqual", [x, edge], x.shape, np.dtype(bool)), x, below], x.shape, FLOAT)
    return y if max_value is None else c.same("Min", y, c.constant(max_value))


def log_sigmoid(c, x):
    return c.same("Neg", c.same("Softplus", c.same("Neg", x)))


def glu(c, x, axis=-1):
    axis = c.axis(axis, x.rank)
    half = c.known(x, axis) // 2
    return c.same("Mul", c.part(x, axis, 0, half), c.same("Sigmoid", c.part(x, axis, half, None)))


def squareplus(c, x, b=4):
    root = c.same("Sqrt", c.same("Add", c.same("Mul", x, x), c.constant(b)))
    return times(c, c.same("Add", x, root), 0.5)


FUNCTIONS = {
    "linear": lambda c, x: x, "relu": relu, "relu6": lambda c, x: relu(c, x, max_value=6.0), "tanh": unary("Tanh"),
    "sigmoid": unary("Sigmoid"), "softmax": softmax, "elu": unary("Elu"), "selu": unary("Selu"),
    "softplus": unary("Softplus"), "softsign": unary("Softsign"), "exponential": unary("Exp"), "gelu": gelu,
    "silu": lambda c, x: c.same("Mul", x, c.same("Sigmoid", x)), "hard_sigmoid": hard_sigmoid,
    "hard_silu": lambda c, x: c.same("Mul", x, hard_sigmoid(c, x)), "celu": unary("Celu"),
    "leaky_relu": lambda c, x: c.same("LeakyRelu", x, alpha=0.2),
    "mish": lambda c, x: c.same("Mul", x, c.same("Tanh", c.same("Softplus", x))), "log_sigmoid": log_sigmoid,
    "log_softmax": lambda c, x: c.same("LogSoftmax", x, axis=x.rank - 1), "glu": glu, "squareplus": squareplus,
    "tanh_shrink": lambda c, x: c.same("Sub", x, c.same("Tanh", x)),
    "hard_tanh": lambda c, x: c.same("Clip", x, c.constant(-1), c.constant(1)),
    "hard_shrink": lambda c, x: c.same("Shrink", x, lambd=0.5, bias=0.0),
    "soft_shrink": lambda c, x: c.same("Shrink", x, lambd=0.5, bias=0.5),
    "sparse_sigmoid": lambda c, x: c.same("Clip", times(c, c.same("Add", x, c.constant(1)), 0.5), c.constant(0),
                                          c.constant(1)),
}
FUNCTIONS.update({"swish": FUNCTIONS["silu"], "hard_swish": FUNCTIONS["hard_silu"]})


def function_name(c, key):
    """The name of a function in a configuration; None: there is a layer in its place."""
    said = c.get(key, "linear")
    if isinstance(said, dict) and said.get("class_name") == "function":
        said = said.get("config")
    if isinstance(said, dict):
        return None
    if said not in FUNCTIONS:
        c.fail(f"{key} {said} is not supported")
    return said


def activate(c, x, key="activation"):
    """What the layer's activation makes of x: a function, or a layer without weights."""
    name = function_name(c, key)
    if name is not None:
        return FUNCTIONS[name](c, x)
    said = c.get(key)
    inner = ACTIVATION_LAYERS.get(said.get("class_name"))
    if inner is None or not isinstance(said.get("config"), dict):
        c.fail(f"{key} {said.get('class_name')} is not supported")
    outer, c.config = c.config, said["config"]
    y = inner(c, x)
    c.config = outer
    return y


def relu_layer(c, x):
    return relu(c, x, c.get("negative_slope", 0.0), c.get("max_value"), c.get("threshold", 0.0))


def leaky_relu_layer(c, x):
    return c.same("LeakyRelu", x, alpha=float(c.get("negative_slope", c.get("alpha", 0.3))))


def softmax_layer(c, x):
    return softmax(c, x, c.get("axis", -1))


ACTIVATION_LAYERS = {"ReLU": relu_layer, "LeakyReLU": leaky_relu_layer, "Softmax": softmax_layer,
                     "ELU": lambda c, x: c.same("Elu", x, alpha=float(c.get("alpha", 1.0)))}


def prelu(c):
    x = c.x()
    (slope,) = c.take(1)
    return c.same("PRelu", x, c.constant(slope, "alpha"))


# ---- products --------------------------------------------------------------------------------------------------------


def biased(c, y, bias):
    return y if bias is None else c.same("Add", y, c.constant(bias, "bias"))


def kernel_and_bias(c, below="", flag="use_bias"):
    if not c.get(flag, True):
        return c.take(1, below)[0], None
    return c.take(2, below)


def dense(c):
    x = c.x()
    kernel, bias = kernel_and_bias(c)
    if kernel.ndim != 2 or x.rank < 2 or x.shape[-1] not in (None, kernel.shape[0]):
        c.fail(f"a kernel of shape {kernel.shape} for an input of shape {x.shape}")
    y = c.op("MatMul", [x, c.constant(kernel, "kernel")], x.shape[:-1] + kernel.shape[1:])
    return activate(c, biased(c, y, bias))


def einsum_dense(c):
    x, equation = c.x(), str(c.get("equation")).replace(" ", "")
    n_bias = 1 if c.get("bias_axes") else 0
    found = c.take(1 + n_bias)
    left, _, out = equation.partition("->")
    terms = left.split(",")
    if len(terms) != 2 or "..." in equation or len(terms[0]) != x.rank or len(terms[1]) != found[0].ndim:
        c.fail(f"the equation {equation}")
    sizes = {**dict(zip(terms[1], found[0].shape)), **dict(zip(terms[0], x.shape))}
    if not set(out) <= set(sizes):
        c.fail(f"the equation {equation}")
    y = c.op("Einsum", [x, c.constant(found[0], "kernel")], [sizes[letter] for letter in out], equation=equation)
    return activate(c, biased(c, y, found[1] if n_bias else None))


def embedding(c):
    x = c.x()
    if c.get("mask_zero"):
        c.fail("masks are not supported")
    (table,) = c.take(1)
    index = x if x.dtype == np.int64 else c.cast(x, np.int64)
    return c.op("Gather", [c.constant(table, "embeddings"), index], x.shape + table.shape[1:], FLOAT, axis=0)


def layer_scale(c):
    (gamma,) = c.take(1)
    return c.same("Mul", c.x(), c.constant(gamma, "gamma"))


# ---- merging ---------------------------------------------------------------------------------------------------------


def merged(op):
    """Inputs combined from the first to the last; Keras puts axes into the smaller ones behind the batch."""
    def run(c):
        tensors = c.inputs()
        if len(tensors) < 2:
            c.fail("it needs two inputs")
        rank = max(t.rank for t in tensors)
        full = [t if t.rank == rank else
                c.reshape(t, t.shape[:1] + (1,) * (rank - t.rank) + t.shape[1:]) for t in tensors]
        total = full[0]
        for t in full[1:]:
            total = c.broadcast(op, total, t)
        return total
    return run


def average(c):
    return times(c, merged("Add")(c), 1 / len(c.inputs()))


def subtract(c):
    if len(c.inputs()) != 2:
        c.fail("it has not two inputs")
    return merged("Sub")(c)


def concatenate(c):
    return c.concat(c.inputs(), c.get("axis", -1))


def dot(c):
    """Products along one axis of each input; other axes of the first come before those of the second."""
    tensors, axes = c.inputs(), c.get("axes")
    axes = [axes, axes] if isinstance(axes, int) else axes
    if len(tensors) != 2 or not isinstance(axes, list) or len(axes) != 2 or any(t.rank not in (2, 3) for t in tensors):
        c.fail("it needs two inputs of rank 2 or 3, and axes")
    (a, b), (p, q) = tensors, [c.axis(axis, t.rank) for axis, t in zip(axes, tensors)]
    if 0 in (p, q):
        c.fail("it sums over the batch")
    if c.get("normalize"):
        a, b = (length_one(c, t, [axis]) for t, axis in ((a, p), (b, q)))
    flat_a, flat_b = a.rank == 2, b.rank == 2
    a = c.reshape(a, (a.shape[0], 1, a.shape[1])) if flat_a else c.transpose(a, [0, 3 - p, p])
    b = c.reshape(b, (b.shape[0], b.shape[1], 1)) if flat_b else c.transpose(b, [0, q, 3 - q])
    y = c.op("MatMul", [a, b], (a.shape[0], a.shape[1], b.shape[2]))
    if flat_a:
        return c.reshape(y, (y.shape[0], y.shape[2]))
    return c.reshape(y, (y.shape[0], y.shape[1])) if flat_b else y


def length_one(c, x, axes):
    """x over its length along axes, which counts at least 1e-12."""
    size = c.reduce("ReduceL2", x, axes)
    return c.same("Div", x, c.same("Max", size, c.constant(1e-12)))


# ---- scaling ---------------------------------------------------------------------------------------------------------


def rescaling(c):
    x = c.x()
    y = c.broadcast("Mul", x, c.constant(c.get("scale", 1.0), "scale"))
    return c.broadcast("Add", y, c.constant(c.get("offset", 0.0), "offset"))


def normalization(c):
    """(x - mean) / max(√variance, 1e-7), of each place along axes."""
    x, axis = c.x(), c.get("axis", -1)
    mean, variance = c.config.get("mean"), c.config.get("variance")
    if mean is None or variance is None:
        mean, variance = c.take(3)[:2]
    axes = [] if axis is None else c.axes(axis, x.rank)
    shape = [d if i in axes else 1 for i, d in enumerate(x.shape)]
    try:
        mean, variance = (np.broadcast_to(np.asarray(v, FLOAT).reshape(shape if np.size(v) > 1 else ()), shape)
                          for v in (mean, variance))
    except (ValueError, TypeError):
        c.fail("mean and variance do not fit the input")
    deviation = np.maximum(np.sqrt(variance), np.float32(1e-7))
    if c.get("invert"):
        return c.same("Add", c.same("Mul", x, c.constant(deviation)), c.constant(mean))
    return c.same("Div", c.same("Sub", x, c.constant(mean)), c.constant(deviation))


def as_it_is(c):
    return c.x()


def plain(function):
    """A row of a function of the call and its input."""
    return Row(lambda c: function(c, c.x()))


# What does nothing but in training.
TRAINING_ONLY = ("Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "GaussianDropout",
                 "GaussianNoise", "AlphaDropout", "ActivityRegularization", "StochasticDepth", "RandomFlip",
                 "RandomRotation", "RandomZoom", "RandomTranslation", "RandomContrast", "RandomBrightness")

TABLE = {
    "Activation": plain(activate), "PReLU": Row(prelu), "Dense": Row(dense), "EinsumDense": Row(einsum_dense),
    "Embedding": Row(embedding, any_type=True), "LayerScale": Row(layer_scale), "Add": Row(merged("Add")),
    "Multiply": Row(merged("Mul")), "Maximum": Row(merged("Max")), "Minimum": Row(merged("Min")),
    "Average": Row(average), "Subtract": Row(subtract), "Concatenate": Row(concatenate), "Dot": Row(dot),
    "Rescaling": Row(rescaling), "Normalization": Row(normalization), "Identity": Row(as_it_is, any_type=True),
    **{name: plain(function) for name, function in ACTIVATION_LAYERS.items()},
    **{name: Row(as_it_is) for name in TRAINING_ONLY},
}


def binary(op):
    """An operation of two tensors, or of a tensor and a number."""
    def run(c):
        both = [c.tensor(v) if hasattr(v, "shape") else c.constant(v) if isinstance(v, (int, float)) else None
                for v in c.args]
        if len(both) != 2 or None in both:
            c.fail("its arguments are not two tensors or numbers")
        return c.broadcast(op, *both)
    return run


# Operations that stand between layers: keras.ops on what layers gave.
OPERATIONS = {"Add": Row(binary("Add")), "Subtract": Row(binary("Sub")), "Multiply": Row(binary("Mul")),
              "Divide": Row(binary("Div")), "TrueDivide": Row(binary("Div")), "Maximum": Row(binary("Max")),
              "Minimum": Row(binary("Min"))}

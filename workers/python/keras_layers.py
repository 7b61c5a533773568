"""ONNX operators in Keras's layers (the option layers=1): convolutions, poolings, normalizations, recurrent layers,
activations, merges.

TABLE maps an operator to a function of one Call (onnx_graph.py), as keras_nn.py's does.  What a layer cannot say
exactly raises NoLayer, and runs in keras.ops as it does without the option.  Around a layer there may be calls of
keras.ops, which move axes or add pads.
"""

import functools

import numpy as np

import keras_math
import keras_nn
import keras_shape
from keras_calls import dims, dtype_of, layer, ops
from keras_math import is_float
from keras_nn import channels_first, channels_last, padded, spatial_rank
from onnx_graph import Window, axis_of
from worker_types import Optional, Rejected

OPS = {**keras_math.TABLE, **keras_shape.TABLE, **keras_nn.TABLE}


class NoLayer(Exception):
    """No layer of Keras says this."""


def need(condition):
    if not condition:
        raise NoLayer


def floats(c, i=0):
    """An input that a layer takes: floats with a batch axis, and no empty axis."""
    need(not isinstance(c.value(i), (list, Optional)))
    x = c.x(i)
    need(is_float(x) and len(dims(x)) > 0 and 0 not in dims(x))
    return x


# ---- convolutions and poolings -------------------------------------------------------------------------------------

def conv(c):
    x, w, bias = floats(c), c.x(1), c.opt(2)
    spatial_rank(c, x)
    n, groups = len(dims(x)) - 2, c.attr("group")
    window = Window(c, dims(x)[2:], c.attr("kernel_shape") or dims(w)[2:])
    if tuple(window.kernel) != dims(w)[2:] or dims(x)[1] != dims(w)[1] * groups:
        raise Rejected(f"{c.op}: weights {dims(w)} for {dims(x)}")
    need(max(window.strides) == 1 or max(window.dilations) == 1)
    x, padding = padded(channels_last(x), window, 0)
    options = {"strides": window.strides, "padding": padding, "dilation_rate": window.dilations,
               "data_format": "channels_last", "use_bias": bias is not None}
    if groups > 1 and dims(w)[1] == 1 and n <= 2 and len(set(window.strides)) == 1:
        many = dims(w)[0] // groups
        kernel = ops.reshape(ops.transpose(w, [*range(2, n + 2), 0, 1]), dims(w)[2:] + (groups, many))
        y = layer(f"DepthwiseConv{n}D", x, weights(kernel, bias), kernel_size=window.kernel, depth_multiplier=many,
                  **{**options, "strides": window.strides[0] if n == 1 else window.strides})
    else:
        kernel = ops.transpose(w, [*range(2, n + 2), 1, 0])
        y = layer(f"Conv{n}D", x, weights(kernel, bias), filters=dims(w)[0], kernel_size=window.kernel, groups=groups,
                  **options)
    return channels_first(y)


def weights(*given):
    return [w for w in given if w is not None]


def conv_transpose(c):
    x, w, bias = floats(c), c.x(1), c.opt(2)
    spatial_rank(c, x)
    n = len(dims(x)) - 2
    strides, dilations = c.each("strides", n), c.each("dilations", n)
    need(c.attr("group") == 1 and c.attr("auto_pad") in ("NOTSET", "VALID") and not any(c.each("pads", 2 * n)) and
         not any(c.each("output_padding", n)) and c.attr("output_shape") is None)
    need(max(strides) == 1 or max(dilations) == 1)
    need(all(s <= (k - 1) * d + 1 for s, k, d in zip(strides, dims(w)[2:], dilations)))
    kernel = ops.transpose(w, [*range(2, n + 2), 1, 0])
    y = layer(f"Conv{n}DTranspose", channels_last(x), weights(kernel, bias), filters=dims(w)[1],
              kernel_size=list(dims(w)[2:]), strides=strides, dilation_rate=dilations, padding="valid",
              data_format="channels_last", use_bias=bias is not None)
    return channels_first(y)


def pool(kind, fill):
    def run(c):
        x = floats(c)
        window = keras_nn.pool_window(c, x)
        if kind == "Max":
            need(not c.wants(1))
        else:  # pads that count otherwise than Keras counts them
            counts = window.counts(dims(x)[2:], bool(c.attr("count_include_pad")))
            need((counts == np.prod(window.kernel)).all())
        moved, padding = padded(channels_last(x), window, fill)
        need(kind == "Max" or padding == "valid")
        return channels_first(layer(f"{kind}Pooling{len(dims(x)) - 2}D", moved, [], pool_size=window.kernel,
                                    strides=window.strides, padding=padding, data_format="channels_last"))
    return run


def global_pool(kind):
    def run(c):
        x = floats(c)
        spatial_rank(c, x)
        y = layer(f"Global{kind}Pooling{len(dims(x)) - 2}D", channels_last(x), [], keepdims=True,
                  data_format="channels_last")
        return channels_first(y)
    return run


# ---- normalizations ------------------------------------------------------------------------------------------------

def batch_norm(c):
    x, scale, bias, mean, var = (c.x(i) for i in range(5))
    need(c.opset >= 9 and not (c.opset >= 14 and c.attr("training_mode")) and not any(map(c.wants, range(1, c.n_out))))
    need(len({dtype_of(v) for v in (x, scale, bias, mean, var)}) == 1 and len(dims(floats(c))) > 1)
    return layer("BatchNormalization", x, [scale, bias, mean, var], axis=1, epsilon=c.attr("epsilon"))


def normalized_axes(c, x):
    """The axes that a scale without broadcasting belongs to."""
    need(c.attr("stash_type") == 1 and dtype_of(x).name in ("float32", "float64"))
    n = len(dims(x))
    axes = list(range(axis_of(c.attr("axis"), n, c.op), n))
    need(dims(c.x(1)) == tuple(dims(x)[a] for a in axes) and 0 not in axes)
    return axes


def layer_norm(c):
    x, beta = floats(c), c.opt(2)
    axes = normalized_axes(c, x)
    need(not any(c.wants(i) for i in (1, 2)) and (beta is None or dims(beta) == dims(c.x(1))))
    return layer("LayerNormalization", x, weights(c.x(1), beta), axis=axes, epsilon=c.attr("epsilon"),
                 center=beta is not None)


def rms_norm(c):
    x = floats(c)
    axes = normalized_axes(c, x)
    need(len(axes) == 1)
    return layer("RMSNormalization", x, [c.x(1)], axis=-1, epsilon=c.attr("epsilon"))


def group_norm(c):
    x = floats(c)
    need(c.opset >= 21 and c.attr("stash_type") == 1 and dtype_of(x).name in ("float32", "float64"))
    return layer("GroupNormalization", x, [c.x(1), c.x(2)], groups=c.attr("num_groups"), axis=1,
                 epsilon=c.attr("epsilon"))


def instance_norm(c):
    x = floats(c)
    need(len(dims(x)) > 2 and dtype_of(x).name in ("float32", "float64"))
    return layer("GroupNormalization", x, [c.x(1), c.x(2)], groups=-1, axis=1, epsilon=c.attr("epsilon"))


# ---- dense and recurrent layers, words -----------------------------------------------------------------------------

def dense(x, w, bias):
    need(len(dims(x)) >= 2 and len(dims(w)) == 2)
    return layer("Dense", x, weights(w, bias), units=dims(w)[1], use_bias=bias is not None)


def gemm(c):
    a, b, bias = floats(c), floats(c, 1), c.opt(2)
    need(c.attr("alpha") == 1 and (bias is None or c.attr("beta") == 1))
    a = ops.transpose(a, (1, 0)) if c.attr("transA") else a
    b = ops.transpose(b, (1, 0)) if c.attr("transB") else b
    need(bias is None or dims(bias) == (dims(b)[1],))
    return dense(a, b, bias)


def matmul(c):
    a, b = floats(c), floats(c, 1)
    if len(dims(a)) == 3 and len(dims(b)) == 3 and dims(a)[0] == dims(b)[0]:
        return layer("Dot", [a, b], [], axes=[2, 1])
    return dense(a, b, None)


def embedding(c):
    table, index = floats(c), c.x(1)
    need(len(dims(table)) == 2 and axis_of(c.attr("axis"), 2, c.op) == 0 and len(dims(index)) and 0 not in dims(index))
    return layer("Embedding", keras_shape.inside(c, 1, dims(table)[0]), [table], input_dim=dims(table)[0],
                 output_dim=dims(table)[1])


def reordered(v, order):
    """Gates of weights (gates · hidden, …) in another order, gates last."""
    parts = ops.split(v, len(order), axis=0)
    joined = ops.concatenate([parts[i] for i in order], axis=0)
    return joined if len(dims(v)) == 1 else ops.transpose(joined, (1, 0))


# Keras's class, the gates in its order, ONNX's activations as Keras has them, how many states
RECURRENT = {
    "RNN": ("SimpleRNN", [0], [b"Tanh"], 1), "GRU": ("GRU", [0, 1, 2], [b"Sigmoid", b"Tanh"], 1),
    "LSTM": ("LSTM", [0, 2, 3, 1], [b"Sigmoid", b"Tanh", b"Tanh"], 2),
}


def recurrent(c):
    """One direction, with the usual activations: X (time, batch, in) becomes (batch, time, in)."""
    name, order, usual, n_states = RECURRENT[c.op]
    x, w, r, b = floats(c), c.x(1), c.x(2), c.opt(3)
    plain = (c.attributes.get("activations") or usual) == usual and c.attr("clip") is None and not c.has(4) and \
        not c.has(7) and c.attr("direction") != "bidirectional"
    need(plain and not c.flag("input_forget") and dims(w)[0] == 1)
    hidden, batch_first, backwards = dims(r)[2], bool(c.attr("layout")), c.attr("direction") == "reverse"
    x = x if batch_first else ops.transpose(x, (1, 0, 2))
    states = [c.opt(5 + i) for i in range(n_states)]
    need(len({s is None for s in states}) == 1)
    given = [] if states[0] is None else [ops.squeeze(s, 1 if batch_first else 0) for s in states]
    options, bias = {}, []
    if c.op == "GRU":
        options["reset_after"] = bool(c.attr("linear_before_reset"))
    if b is not None:
        input_bias, state_bias = ops.split(ops.squeeze(b, 0), 2, axis=0)
        input_bias, state_bias = (reordered(v, order) for v in (input_bias, state_bias))
        apart = options.get("reset_after")
        bias = [ops.stack([input_bias, state_bias], axis=0) if apart else ops.add(input_bias, state_bias)]
    kernels = [reordered(ops.squeeze(v, 0), order) for v in (w, r)]
    if given:
        options["initial_state"] = given
    found = layer(name, x, kernels + bias, units=hidden, use_bias=b is not None, return_sequences=True,
                  return_state=True, go_backwards=backwards, **options)
    steps = ops.flip(found[0], axis=1) if backwards else found[0]
    steps = ops.expand_dims(steps, 2) if batch_first else ops.expand_dims(ops.transpose(steps, (1, 0, 2)), 1)
    return (steps, *(ops.expand_dims(s, 1 if batch_first else 0) for s in found[1:]))


# ---- activations, merges, shapes -----------------------------------------------------------------------------------

def single(name, **attributes):
    """A layer of one input; attributes are those of ONNX by the names that Keras gives them."""
    def run(c):
        return layer(name, floats(c), [], **{ours: c.attr(theirs) for ours, theirs in attributes.items()})
    return run


def activation(word):
    return lambda c: layer("Activation", floats(c), [], activation=word)


def gelu(c):
    need(c.attr("approximate") != "tanh")
    return layer("Activation", floats(c), [], activation="gelu")


def selu(c):
    """Keras has the numbers of the paper alone, which are ONNX's defaults."""
    need(abs(c.attr("alpha") - 1.67326319) < 1e-7 and abs(c.attr("gamma") - 1.05070102) < 1e-7)
    return layer("Activation", floats(c), [], activation="selu")


def prelu(c):
    x, slope = floats(c), c.x(1)
    n = len(dims(x))
    full = dims(slope) if len(dims(slope)) == n - 1 else None
    need(n > 1 and c.opset >= 7 and full is not None)
    need(all(s in (1, d) for s, d in zip(full, dims(x)[1:])))
    shared = [i + 1 for i, (s, d) in enumerate(zip(full, dims(x)[1:])) if s == 1 and d > 1]
    return layer("PReLU", x, [slope], shared_axes=shared or None)


def softmax(c):
    x = floats(c)
    axis = axis_of(c.attr("axis"), len(dims(x)), c.op)
    need(c.opset >= 13 or axis == len(dims(x)) - 1)
    return layer("Softmax", x, [], axis=axis)


def merge(name, least=2):
    """Of tensors that have one shape."""
    def run(c):
        found = [floats(c, i) for i in range(len(c.inputs))]
        need(len(found) >= least and len({(dims(v), dtype_of(v).name) for v in found}) == 1)
        return layer(name, found, [])
    return run


def concat(c):
    found = [floats(c, i) for i in range(len(c.inputs))]
    axis = axis_of(c.attr("axis"), len(dims(found[0])), c.op)
    need(axis > 0 and len(found) > 1)
    return layer("Concatenate", found, [], axis=axis)


def flatten(c):
    x = floats(c)
    need(len(dims(x)) > 1 and axis_of(c.attr("axis"), len(dims(x)), c.op) == 1)
    return layer("Flatten", x, [])


def reshape(c):
    x = floats(c)
    y = OPS["Reshape"](c)
    need(len(dims(y)) > 1 and dims(y)[0] == dims(x)[0])
    return layer("Reshape", x, [], target_shape=list(dims(y)[1:]))


def permute(c):
    x, perm = floats(c), c.attr("perm")
    need(perm is not None and len(perm) > 1 and perm[0] == 0)
    return layer("Permute", x, [], dims=list(perm[1:]))


def dropout(c):
    need(not c.wants(1) and not (c.opset >= 12 and c.has(2)) and (c.opset >= 7 or c.attr("is_test")))
    return layer("Dropout", floats(c), [], rate=0.5)


def in_layers(run):
    """The layer, or what there is without the option."""
    @functools.wraps(run)
    def either(c):
        try:
            return run(c)
        except NoLayer:
            return OPS[c.op](c)
    return either


TABLE = {name: in_layers(run) for name, run in {
    "Conv": conv, "ConvTranspose": conv_transpose, "MaxPool": pool("Max", float("-inf")),
    "AveragePool": pool("Average", 0), "GlobalAveragePool": global_pool("Average"), "GlobalMaxPool": global_pool("Max"),
    "BatchNormalization": batch_norm, "LayerNormalization": layer_norm, "RMSNormalization": rms_norm,
    "GroupNormalization": group_norm, "InstanceNormalization": instance_norm, "Gemm": gemm, "MatMul": matmul,
    "Gather": embedding, "RNN": recurrent, "GRU": recurrent, "LSTM": recurrent, "Relu": single("ReLU"),
    "LeakyRelu": single("LeakyReLU", negative_slope="alpha"), "Elu": single("ELU", alpha="alpha"), "PRelu": prelu,
    "Softmax": softmax, "Sigmoid": activation("sigmoid"), "Tanh": activation("tanh"),
    "Softplus": activation("softplus"), "Softsign": activation("softsign"), "Gelu": gelu, "Selu": selu,
    "HardSwish": activation("hard_silu"), "Identity": single("Identity"), "Add": merge("Add"), "Sum": merge("Add"),
    "Sub": merge("Subtract"), "Mul": merge("Multiply"), "Max": merge("Maximum"), "Min": merge("Minimum"),
    "Mean": merge("Average"), "Concat": concat, "Flatten": flatten, "Reshape": reshape, "Transpose": permute,
    "Dropout": dropout,
}.items()}

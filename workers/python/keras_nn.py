"""ONNX operators in Keras: convolutions, poolings, normalizations, losses, recurrent layers.

TABLE maps an operator to a function of one Call (onnx_graph.py).  Tensors go in with channels last, which is Keras's
own default and the one layout that all its array libraries have.
"""

import numpy as np

import onnx_rnn
from keras_calls import dims, dtype_of, ops
from keras_math import need_float, number
from onnx_graph import Window, axes_of, axis_of
from worker_types import Rejected


def channels_last(x):
    n = len(dims(x))
    return ops.transpose(x, [0, *range(2, n), 1])


def channels_first(x):
    n = len(dims(x))
    return ops.transpose(x, [0, n - 1, *range(1, n - 1)])


def by_channel(v, x):
    return ops.reshape(v, (-1,) + (1,) * (len(dims(x)) - 2))


def with_bias(y, bias):
    return y if bias is None else ops.add(y, by_channel(bias, y))


def padded(x, window, fill):
    """x, channels last, with its pads, and how Keras is told of them: "same" where it adds those by itself."""
    spatial = dims(x)[1:-1]
    same = [Window._same("SAME_UPPER", n, s, r) for n, s, r in zip(spatial, window.strides, window.reach)]
    pads = [(a, b + e) for (a, b), e in zip(window.pads, window.extra)]
    plain = max(window.strides) == 1 or max(window.dilations) == 1
    if pads == same and any(map(any, pads)) and plain:
        return x, "same"
    if any(map(any, pads)):
        if min(map(min, pads)) < 0:
            raise Rejected("negative pads")
        x = ops.pad(x, [[0, 0], *map(list, pads), [0, 0]], mode="constant", constant_values=fill)
    return x, "valid"


def spatial_rank(c, x):
    if not 1 <= len(dims(x)) - 2 <= 3:
        c.unsupported("other than 1 to 3 spatial axes")


# ---- convolutions --------------------------------------------------------------------------------------------------

def conv(c):
    x, w = need_float(c, c.x(0)), c.x(1)
    spatial_rank(c, x)
    window = Window(c, dims(x)[2:], c.attr("kernel_shape") or dims(w)[2:])
    n, groups = len(dims(w)), c.attr("group")
    if tuple(window.kernel) != dims(w)[2:] or dims(x)[1] != dims(w)[1] * groups:
        raise Rejected(f"{c.op}: weights {dims(w)} for {dims(x)}")
    if max(window.strides) > 1 and max(window.dilations) > 1:
        c.unsupported("strides and dilations together")
    x, padding = padded(channels_last(x), window, 0)
    if groups > 1 and dims(w)[1] == 1 and n <= 4 and len(set(window.strides)) == 1:
        # Keras has one kernel (…, channels, multiplier): output channel i · multiplier + j is of channel i
        kernel = ops.reshape(ops.transpose(w, [*range(2, n), 0, 1]), dims(w)[2:] + (groups, dims(w)[0] // groups))
        y = ops.depthwise_conv(x, kernel, strides=window.strides[0], padding=padding, data_format="channels_last",
                               dilation_rate=tuple(window.dilations))
    else:
        y = ops.conv(x, ops.transpose(w, [*range(2, n), 1, 0]), strides=tuple(window.strides), padding=padding,
                     data_format="channels_last", dilation_rate=tuple(window.dilations))
    return with_bias(channels_first(y), c.opt(2))


def conv_transpose(c):
    """Without pads; what Keras's "same" cuts off depends on the kernel otherwise than ONNX's does."""
    x, w = need_float(c, c.x(0)), c.x(1)
    spatial_rank(c, x)
    n = len(dims(x)) - 2
    strides, dilations = c.each("strides", n), c.each("dilations", n)
    plain = c.attr("group") == 1 and c.attr("auto_pad") in ("NOTSET", "VALID") and not any(c.each("pads", 2 * n)) and \
        not any(c.each("output_padding", n)) and c.attr("output_shape") is None
    if not plain or max(strides) > 1 and max(dilations) > 1:
        c.unsupported("groups, pads, output shapes, strides with dilations")
    if any(s > (k - 1) * d + 1 for s, k, d in zip(strides, dims(w)[2:], dilations)):
        c.unsupported("strides larger than the kernel")
    y = ops.conv_transpose(channels_last(x), ops.transpose(w, [*range(2, n + 2), 1, 0]), strides=tuple(strides),
                           padding="valid", data_format="channels_last", dilation_rate=tuple(dilations))
    return with_bias(channels_first(y), c.opt(2))


# ---- poolings ------------------------------------------------------------------------------------------------------

def pool_window(c, x):
    spatial_rank(c, x)
    window = Window(c, dims(x)[2:], c.attr("kernel_shape"))
    if max(window.dilations) > 1:
        c.unsupported("dilations")
    return window


def max_pool(c):
    x = need_float(c, c.x())
    window = pool_window(c, x)
    if c.wants(1):
        c.unsupported("indices")
    x, padding = padded(channels_last(x), window, float("-inf"))
    return channels_first(ops.max_pool(x, tuple(window.kernel), strides=tuple(window.strides), padding=padding,
                                       data_format="channels_last"))


def average_pool(c):
    x = need_float(c, c.x())
    window = pool_window(c, x)
    included = bool(c.attr("count_include_pad"))
    counts = window.counts(dims(x)[2:], included)
    x, padding = padded(channels_last(x), window, 0)
    if padding == "same" and included:  # Keras leaves pads out of the average
        x = ops.pad(x, [[0, 0], *map(list, window.pads), [0, 0]], mode="constant", constant_values=0)
        padding = "valid"
    y = channels_first(ops.average_pool(x, tuple(window.kernel), strides=tuple(window.strides), padding=padding,
                                        data_format="channels_last"))
    whole = int(np.prod(window.kernel))
    if padding == "same" or (counts == whole).all():
        return y
    return ops.multiply(y, number(whole / counts, y))


def all_spatial(fn):
    return lambda c: fn(need_float(c, c.x()), axis=list(range(2, len(dims(c.x())))), keepdims=True)


def global_lp_pool(c):
    x, p = need_float(c, c.x()), c.attr("p")
    powers = ops.power(ops.abs(x), number(p, x))
    return ops.power(ops.sum(powers, axis=list(range(2, len(dims(x)))), keepdims=True), number(1 / p, x))


# ---- normalizations ------------------------------------------------------------------------------------------------

def batch_norm(c):
    x, scale, bias, mean, var = (c.x(i) for i in range(5))
    if c.opset < 9 and not c.attr("spatial") or c.opset < 7 and not c.attr("is_test"):
        c.unsupported("spatial=0, or training in opsets before 7")
    if c.opset >= 14 and c.attr("training_mode") or any(c.wants(i) for i in range(1, c.n_out)):
        c.unsupported("training")
    if len({dtype_of(v) for v in (x, scale, bias, mean, var)}) > 1 or len(dims(x)) < 2:
        c.unsupported("several types, or one axis")
    return ops.batch_normalization(x, mean, var, 1, offset=bias, scale=scale, epsilon=c.attr("epsilon"))


def normalized(x, axes, eps):
    mean, var = ops.moments(x, axes, keepdims=True)
    return ops.multiply(ops.subtract(x, mean), ops.rsqrt(ops.add(var, number(eps, x))))


def instance_norm(c):
    x = need_float(c, c.x(0))
    y = normalized(x, list(range(2, len(dims(x)))), c.attr("epsilon"))
    return ops.add(ops.multiply(y, by_channel(c.x(1), x)), by_channel(c.x(2), x))


def stashed(c, x):
    if c.attr("stash_type") != 1 or dtype_of(x).name not in ("float32", "float64"):
        c.unsupported("statistics of another type than the input's")
    return x


def layer_norm(c):
    x = stashed(c, need_float(c, c.x(0)))
    n = len(dims(x))
    axes = list(range(axis_of(c.attr("axis"), n, c.op), n))
    if dims(c.x(1)) != tuple(dims(x)[a] for a in axes) or any(c.wants(i) for i in (1, 2)):
        c.unsupported("a scale that is broadcast, or mean and deviation as outputs")
    return ops.layer_normalization(x, gamma=c.x(1), beta=c.opt(2), axis=axes, epsilon=c.attr("epsilon"))


def rms_norm(c):
    x = stashed(c, need_float(c, c.x(0)))
    n = len(dims(x))
    axes = list(range(axis_of(c.attr("axis"), n, c.op), n))
    if dims(c.x(1)) != tuple(dims(x)[a] for a in axes):
        c.unsupported("a scale that is broadcast")
    return ops.rms_normalization(x, scale=c.x(1), axis=axes, epsilon=c.attr("epsilon"))


def group_norm(c):
    x, groups = need_float(c, c.x(0)), c.attr("num_groups")
    if c.opset < 21:
        c.unsupported("opset below 21")
    parts = ops.reshape(stashed(c, x), (dims(x)[0], groups, -1))
    y = ops.reshape(normalized(parts, [2], c.attr("epsilon")), dims(x))
    return ops.add(ops.multiply(y, by_channel(c.x(1), x)), by_channel(c.x(2), x))


def mean_variance_norm(c):
    x = need_float(c, c.x())
    axes = axes_of(c.attr("axes"), len(dims(x)), c.op)
    deviation = ops.add(ops.std(x, axis=axes, keepdims=True), number(1e-9, x))
    return ops.divide(ops.subtract(x, ops.mean(x, axis=axes, keepdims=True)), deviation)


def lp_norm(c):
    x, p = need_float(c, c.x()), c.attr("p")
    axis = axis_of(c.attr("axis"), len(dims(x)), c.op)
    if p not in (1, 2):
        raise Rejected(f"{c.op}: p is {p}")
    size = ops.norm(x, ord=p, axis=axis, keepdims=True)
    none = ops.equal(size, number(0, size))
    return ops.where(none, ops.zeros_like(x), ops.divide(x, ops.where(none, ops.ones_like(size), size)))


def lrn(c):
    x, size = need_float(c, c.x()), c.attr("size")
    n, before = dims(x)[1], (size - 1) // 2
    widths = [[0, 0] for _ in dims(x)]
    widths[1] = [before, size - 1 - before]
    squares = ops.pad(ops.square(x), widths, mode="constant", constant_values=0)
    total = None
    for i in range(size):
        start = [0] * len(dims(x))
        start[1] = i
        part = ops.slice(squares, start, (dims(x)[0], n) + dims(x)[2:])
        total = part if total is None else ops.add(total, part)
    scale = ops.add(ops.multiply(total, number(c.attr("alpha") / size, x)), number(c.attr("bias"), x))
    return ops.divide(x, ops.power(scale, number(c.attr("beta"), x)))


def dropout(c):
    x = c.x()
    training = c.opset >= 12 and c.has(2) and bool(c.known(2).reshape(()))
    if training or (c.opset < 7 and not c.attr("is_test")):
        c.unsupported("training: its mask is random")
    return x, np.ones(dims(x), bool if c.opset >= 10 else dtype_of(x))


# ---- losses --------------------------------------------------------------------------------------------------------

def nll_of(c, scores, target, weight):
    """-weight[target] · scores[target], and its sum or mean over what is not ignored."""
    ignore = c.attr("ignore_index")
    target = ops.cast(target, np.dtype(np.int64))
    kept = None if ignore is None else ops.not_equal(target, number(ignore, target))
    safe = target if kept is None else ops.where(kept, target, number(0, target))
    picked = ops.squeeze(ops.take_along_axis(scores, ops.expand_dims(safe, 1), axis=1), axis=1)
    w = ops.ones_like(picked) if weight is None else ops.take(weight, safe, axis=0)
    w = w if kept is None else ops.where(kept, w, number(0, w))
    loss = ops.multiply(ops.negative(picked), w)
    how = c.attr("reduction")
    if how == "none":
        return loss
    return ops.sum(loss) if how == "sum" else ops.divide(ops.sum(loss), ops.sum(w))


def nll(c):
    return nll_of(c, need_float(c, c.x(0)), c.x(1), c.opt(2))


def softmax_cross_entropy(c):
    scores = ops.log_softmax(need_float(c, c.x(0)), axis=1)
    return nll_of(c, scores, c.x(1), c.opt(2)), scores


class Functions:
    """What onnx_rnn.py needs of Keras."""

    relu, tanh, sigmoid = staticmethod(ops.relu), staticmethod(ops.tanh), staticmethod(ops.sigmoid)
    softsign, softplus = staticmethod(ops.softsign), staticmethod(ops.softplus)
    elu, clip, where = staticmethod(ops.elu), staticmethod(ops.clip), staticmethod(ops.where)
    split, stack, zeros = staticmethod(ops.split), staticmethod(ops.stack), staticmethod(ops.zeros)
    swapaxes, transpose, shape = staticmethod(ops.swapaxes), staticmethod(ops.transpose), staticmethod(dims)

    @staticmethod
    def dot(a, b):
        return ops.matmul(a, ops.transpose(b, (1, 0)))


TABLE = {
    "Conv": conv, "ConvTranspose": conv_transpose, "MaxPool": max_pool, "AveragePool": average_pool,
    "GlobalAveragePool": all_spatial(ops.mean), "GlobalMaxPool": all_spatial(ops.max),
    "GlobalLpPool": global_lp_pool, "BatchNormalization": batch_norm, "InstanceNormalization": instance_norm,
    "LayerNormalization": layer_norm, "RMSNormalization": rms_norm, "GroupNormalization": group_norm,
    "MeanVarianceNormalization": mean_variance_norm, "LpNormalization": lp_norm, "LRN": lrn, "Dropout": dropout,
    "NegativeLogLikelihoodLoss": nll, "SoftmaxCrossEntropyLoss": softmax_cross_entropy,
    **onnx_rnn.table(Functions),
}

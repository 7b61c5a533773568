"""ONNX operators in PyTensor: convolutions, poolings, normalizations, recurrent layers.

Theano's own convolutions and poolings are gone from PyTensor: a convolution is a matrix product of the weights with all
windows of the input, a pooling a maximum or sum over the positions in a window.  Both are slices of the padded input.
TABLE maps an operator to a function of one Call (onnx_graph.py).
"""

import functools
import itertools
import math
import operator

import numpy as np

import onnx_rnn
from worker_types import Rejected
from onnx_graph import Window
from pytensor_calls import pt
from pytensor_math import elu, is_float, number, relu, shape_of
from pytensor_shape import padded


def views(x, window, dims, fill):
    """For each position in the window, what the windows have there: (N, C, out…) each."""
    pads = [(0, 0), (0, 0)] + [(a, b + e) for (a, b), e in zip(window.pads, window.extra)]
    x = padded(x, dims, pads, fill)
    for at in itertools.product(*[range(k) for k in window.kernel]):
        yield x[(slice(None), slice(None)) + tuple(
            slice(i * d, i * d + (n - 1) * s + 1, s)
            for i, d, s, n in zip(at, window.dilations, window.strides, window.out))]


def conv(c):
    """Σ over channels and positions: (M, C/g · K) times (C/g · K, N · out), for each group."""
    x, w, groups = c.x(0), c.x(1), c.attr("group")
    dims, kernel = shape_of(c, x), shape_of(c, w)
    window = Window(c, dims[2:], c.attr("kernel_shape") or kernel[2:])
    if tuple(window.kernel) != tuple(kernel[2:]) or kernel[1] * groups != dims[1] or kernel[0] % groups:
        raise Rejected(f"{c.op}: input {dims}, weights {kernel}, {groups} groups")
    at = list(views(x, window, dims, 0))
    if kernel[1] == 1 and groups > 1:
        y = depthwise(at, w, kernel, groups, window.out)
    else:
        columns = pt.stack(at, axis=2)  # (N, C, K, out…)
        axes = (1, 2, 0) + tuple(range(3, 3 + len(window.out)))
        columns = columns.transpose(*axes).reshape((groups, kernel[1] * len(at), -1))
        w = w.reshape((groups, kernel[0] // groups, kernel[1] * len(at)))
        y = pt.concatenate([pt.dot(w[g], columns[g]) for g in range(groups)], axis=0)
        y = y.reshape((kernel[0], dims[0]) + tuple(window.out)).swapaxes(0, 1)
    return y if not c.has(2) else y + by_channel(c.x(2), y.ndim)


def depthwise(at, w, kernel, groups, out):
    """One channel for each group: no product of matrices."""
    w = w.reshape((groups, kernel[0] // groups, math.prod(kernel[2:])) + (1,) * len(out))
    y = functools.reduce(operator.add, [pt.expand_dims(v, 2) * w[:, :, i] for i, v in enumerate(at)])
    return y.reshape((y.type.shape[0], kernel[0]) + tuple(out))


def pool_of(c, fill, combine):
    """All positions of the window beside each other: PyTensor does not bear one sum of very many terms.  It would make
    one of a stack that is reduced as it is; reshaped, it stays one array."""
    x = c.x()
    if not is_float(x):
        c.unsupported(f"{x.dtype} input")
    dims = shape_of(c, x)
    window = Window(c, dims[2:], c.attr("kernel_shape"))
    at = list(views(x, window, dims, fill))
    if len(at) == 1:
        return at[0], window, dims
    y = combine(pt.stack(at, axis=0).reshape((len(at), -1)), axis=0)
    return y.reshape(tuple(dims[:2]) + tuple(window.out)).astype(x.dtype), window, dims


def max_pool(c):
    if c.wants(1):
        c.unsupported("indices")
    return pool_of(c, -np.inf, pt.max)[0]


def average_pool(c):
    y, window, dims = pool_of(c, 0, pt.sum)
    return y / window.counts(dims[2:], bool(c.attr("count_include_pad"))).astype(y.dtype)


def global_pool(fn):
    return lambda c: fn(c.x(), axis=tuple(range(2, c.x().ndim)), keepdims=True).astype(c.x().dtype)


def by_channel(v, rank):
    return v.reshape((-1,) + (1,) * (rank - 2)) if rank >= 2 else v


def batch_norm(c):
    x, scale, bias, mean, var = (c.x(i) for i in range(5))
    if c.opset < 9 and not c.attr("spatial") or c.opset < 7 and not c.attr("is_test") or \
            c.attr("training_mode") or any(c.wants(i) for i in range(1, c.n_out)):
        c.unsupported("training, or spatial=0")
    mean, var, scale, bias = (by_channel(v, x.ndim) for v in (mean, var, scale, bias))
    return (x - mean) / pt.sqrt(var + number(c.attr("epsilon"), var)) * scale + bias


def lrn(c):
    x, size = c.x(), c.attr("size")
    dims = shape_of(c, x)
    widths = [(0, 0)] * x.ndim
    widths[1] = ((size - 1) // 2, size - 1 - (size - 1) // 2)
    squares = padded(x * x, dims, widths, 0)
    squares = functools.reduce(operator.add, [squares[:, i:i + dims[1]] for i in range(size)])
    base = number(c.attr("bias"), x) + number(c.attr("alpha") / size, x) * squares
    return x / pt.power(base, number(c.attr("beta"), x))


def dropout(c):
    if c.opset < 7 and not c.attr("is_test") or c.has(2) and c.known(2).any():
        c.unsupported("training: its mask is random")
    x = c.x()
    return x, np.ones(shape_of(c, x), bool) if c.opset >= 10 else pt.ones_like(x)


class Functions:
    """What onnx_rnn.py needs of PyTensor."""

    relu, elu, tanh, sigmoid = (staticmethod(f) for f in (relu, elu, pt.tanh, pt.sigmoid))
    softplus, clip, where, stack = (staticmethod(f) for f in (pt.softplus, pt.clip, pt.switch, pt.stack))
    swapaxes, zeros = staticmethod(pt.swapaxes), staticmethod(pt.zeros)

    @staticmethod
    def softsign(x):
        return x / (1 + pt.abs(x))

    @staticmethod
    def shape(x):
        return x.type.shape

    @staticmethod
    def dot(a, b):
        return pt.dot(a, b.T)

    @staticmethod
    def split(x, n, axis):
        each = x.type.shape[axis] // n
        return [x[(slice(None),) * axis + (slice(i * each, (i + 1) * each),)] for i in range(n)]

    @staticmethod
    def transpose(x, axes):
        return x.transpose(*axes)


TABLE = {
    "Conv": conv, "MaxPool": max_pool, "AveragePool": average_pool, "GlobalAveragePool": global_pool(pt.mean),
    "GlobalMaxPool": global_pool(pt.max), "BatchNormalization": batch_norm, "LRN": lrn, "Dropout": dropout,
    **onnx_rnn.table(Functions),
}

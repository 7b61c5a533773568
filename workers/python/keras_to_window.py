"""Keras layers as ONNX nodes: convolutions and poolings; TABLE has a row for each class.

ONNX has channels first: what Keras has with channels last is transposed, and back again.
"""

import numpy as np

from keras_layer import Row, perm_to_first, perm_to_last
from keras_to_math import activate, biased, kernel_and_bias


class Layout:
    """A tensor with channels first, and the way back."""

    def __init__(self, c, n):
        self.c, self.first, x = c, c.channels_first(), c.x()
        if x.rank != n + 2:
            c.fail(f"its input has rank {x.rank}")
        self.x = x if self.first else c.transpose(x, perm_to_first(x.rank))
        self.spatial = self.x.shape[2:]

    def back(self, y):
        return y if self.first else self.c.transpose(y, perm_to_last(y.rank))


def window_sizes(c, spatial, kernel, strides, dilations, padding):
    """Sizes after a window has passed."""
    out = []
    for size, k, s, d in zip(spatial, kernel, strides, dilations):
        reach = (k - 1) * d + 1
        if size is None:
            out.append(None)
        elif padding == "valid":
            out.append((size - reach) // s + 1)
            if size < reach:
                c.fail(f"a window of {reach} does not fit into {size}")
        else:
            out.append(-(-size // s))
    return out


def check_window(c, strides, dilations, allowed=("valid", "same")):
    padding = c.get("padding", "valid")
    if padding not in allowed or min(strides + dilations) < 1:
        c.fail(f"padding {padding}, strides {strides}, dilation_rate {dilations}")
    return padding


def pads_of(padding, kernel, dilations):
    if padding == "same":
        return {"auto_pad": "SAME_UPPER"}
    n = len(kernel)
    if padding == "causal":
        return {"pads": [(k - 1) * d for k, d in zip(kernel, dilations)] + [0] * n}
    return {"pads": [0] * (2 * n)}


def weights_first(kernel):
    """(…, in, out) as (out, in, …)."""
    n = kernel.ndim - 2
    return np.transpose(kernel, [n + 1, n, *range(n)])


def convolve(c, x, kernel, bias, strides, dilations, padding, groups):
    """Of channels first, with a kernel (out, in / groups, …)."""
    shape = list(kernel.shape[2:])
    if x.shape[1] is not None and x.shape[1] != kernel.shape[1] * groups:
        c.fail(f"{x.shape[1]} channels for a kernel of {kernel.shape[1]} in {groups} groups")
    spatial = window_sizes(c, x.shape[2:], shape, strides, dilations, padding)
    inputs = [x, c.constant(kernel, "kernel")] + ([] if bias is None else [c.constant(bias, "bias")])
    return c.op("Conv", inputs, [x.shape[0], kernel.shape[0], *spatial], kernel_shape=shape, strides=strides,
                dilations=dilations, group=groups, **pads_of(padding, shape, dilations))


def conv(n):
    def run(c):
        at = Layout(c, n)
        strides, dilations = c.sizes("strides", n, 1), c.sizes("dilation_rate", n, 1)
        padding = check_window(c, strides, dilations, ("valid", "same", "causal") if n == 1 else ("valid", "same"))
        kernel, bias = kernel_and_bias(c)
        if kernel.ndim != n + 2:
            c.fail(f"a kernel of shape {kernel.shape}")
        y = convolve(c, at.x, weights_first(kernel), bias, strides, dilations, padding, c.get("groups", 1))
        return activate(c, at.back(y))
    return run


def spread(kernel):
    """(…, in, multiplier) as (in · multiplier, 1, …), for one group a channel."""
    n = kernel.ndim - 2
    return np.transpose(kernel, [n, n + 1, *range(n)]).reshape((-1, 1) + kernel.shape[:n])


def depthwise(n):
    def run(c):
        at = Layout(c, n)
        strides, dilations = c.sizes("strides", n, 1), c.sizes("dilation_rate", n, 1)
        padding = check_window(c, strides, dilations)
        kernel, bias = kernel_and_bias(c)
        y = convolve(c, at.x, spread(kernel), bias, strides, dilations, padding, kernel.shape[-2])
        return activate(c, at.back(y))
    return run


def separable(n):
    def run(c):
        at = Layout(c, n)
        strides, dilations = c.sizes("strides", n, 1), c.sizes("dilation_rate", n, 1)
        padding = check_window(c, strides, dilations, ("valid", "same", "causal") if n == 1 else ("valid", "same"))
        found = c.take(3 if c.get("use_bias", True) else 2)
        y = convolve(c, at.x, spread(found[0]), None, strides, dilations, padding, found[0].shape[-2])
        y = convolve(c, y, weights_first(found[1]), found[2] if len(found) > 2 else None, [1] * n, [1] * n, "valid", 1)
        return activate(c, at.back(y))
    return run


def transposed_pads(padding, reach, stride, extra):
    """What is cut off before and after, and added behind, of the (size - 1) · stride + reach that a transposed
    convolution gives: "same" gives size · stride, of which the smaller half of what is too much is cut off first."""
    if padding == "valid":
        return 0, 0, max(stride - reach, 0) if extra is None else extra
    if extra is None:
        over = reach - stride
        return (over // 2, over - over // 2, 0) if over >= 0 else (0, 0, -over)
    return None


def conv_transpose(n):
    def run(c):
        at = Layout(c, n)
        strides, dilations = c.sizes("strides", n, 1), c.sizes("dilation_rate", n, 1)
        padding = check_window(c, strides, dilations)
        extra = c.sizes("output_padding", n) if c.config.get("output_padding") is not None else [None] * n
        kernel, bias = kernel_and_bias(c)
        if kernel.ndim != n + 2 or at.x.shape[1] not in (None, kernel.shape[-1]):
            c.fail(f"a kernel of shape {kernel.shape}")
        reach = [(k - 1) * d + 1 for k, d in zip(kernel.shape, dilations)]
        cuts = [transposed_pads(padding, r, s, e) for r, s, e in zip(reach, strides, extra)]
        if None in cuts:
            c.fail("output_padding with padding same is not supported")
        spatial = [None if size is None else (size - 1) * s + r - low - high + more
                   for size, s, r, (low, high, more) in zip(at.spatial, strides, reach, cuts)]
        # ONNX's output_padding is less than the stride; zeros behind the output are the same as what it adds
        lows, highs, more = (list(column) for column in zip(*cuts))
        attributes = {"kernel_shape": list(kernel.shape[:n]), "strides": strides, "dilations": dilations,
                      "pads": lows + highs}
        if any(more):
            if any(m >= s for m, s in zip(more, strides)):
                c.fail("an output_padding of the stride or more")
            attributes["output_padding"] = more
        made = np.transpose(kernel, [n + 1, n, *range(n)])
        y = c.op("ConvTranspose", [at.x, c.constant(made, "kernel")], [at.x.shape[0], kernel.shape[n], *spatial],
                 **attributes)
        return activate(c, biased(c, at.back(y), None if bias is None else by_layout(c, bias, n)))
    return run


def by_layout(c, bias, n):
    return bias.reshape((-1,) + (1,) * n) if c.channels_first() else bias


# ---- poolings --------------------------------------------------------------------------------------------------------


def pool(op, n):
    def run(c):
        at = Layout(c, n)
        size = c.sizes("pool_size", n, 2)
        strides = c.sizes("strides", n, size)
        padding = check_window(c, strides, [1] * n)
        spatial = window_sizes(c, at.spatial, size, strides, [1] * n, padding)
        return at.back(c.op(op, [at.x], [*at.x.shape[:2], *spatial], kernel_shape=size, strides=strides,
                            **pads_of(padding, size, [1] * n)))
    return run


def global_pool(op, n):
    def run(c):
        x = c.x()
        if x.rank != n + 2:
            c.fail(f"its input has rank {x.rank}")
        axes = range(2, n + 2) if c.channels_first() else range(1, n + 1)
        return c.reduce(op, x, axes, bool(c.get("keepdims", False)))
    return run


def adaptive_pool(op, n):
    """Windows of one size, where the sizes divide each other."""
    def run(c):
        at = Layout(c, n)
        wanted = c.sizes("output_size", n)
        if any(d is None or w < 1 or d % w for d, w in zip(at.spatial, wanted)):
            c.fail(f"sizes {at.spatial} are not multiples of {wanted}")
        size = [d // w for d, w in zip(at.spatial, wanted)]
        return at.back(c.op(op, [at.x], [*at.x.shape[:2], *wanted], kernel_shape=size, strides=size))
    return run


TABLE = {}
for rank in (1, 2, 3):
    TABLE[f"Conv{rank}D"] = Row(conv(rank))
    TABLE[f"Conv{rank}DTranspose"] = Row(conv_transpose(rank))
    TABLE[f"MaxPooling{rank}D"] = Row(pool("MaxPool", rank))
    TABLE[f"AveragePooling{rank}D"] = Row(pool("AveragePool", rank))
    TABLE[f"GlobalMaxPooling{rank}D"] = Row(global_pool("ReduceMax", rank))
    TABLE[f"GlobalAveragePooling{rank}D"] = Row(global_pool("ReduceMean", rank))
    TABLE[f"AdaptiveMaxPooling{rank}D"] = Row(adaptive_pool("MaxPool", rank))
    TABLE[f"AdaptiveAveragePooling{rank}D"] = Row(adaptive_pool("AveragePool", rank))
for rank in (1, 2):
    TABLE[f"DepthwiseConv{rank}D"] = Row(depthwise(rank))
    TABLE[f"SeparableConv{rank}D"] = Row(separable(rank))

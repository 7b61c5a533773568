"""
title: Conv2D with padding SAME returns what was in the memory before; sums of products are right.
library: tensorflow-cpu
shows: 2.21.0
since: 2.21.0 (2.12.0 is right)
class: bug
condition: With oneDNN (the default): one input channel, two images or more of two rows or more, a stride of 1 along the
    height and one along the width that leaves a single column, and a filter wider than the input.
rule: tf.nn.conv2d, padding SAME.
documented: docs/methods/fuzz.md, Found
tracker: not searched
"""
import numpy as np

from library import right, verdict, with_tf, wrong


def conv(shape, filter_shape, strides=(1, 2), onednn=True):
    x = np.arange(1, np.prod(shape) + 1, dtype=np.float32).reshape(shape)
    w = np.arange(1, np.prod(filter_shape) + 1, dtype=np.float32).reshape(filter_shape)
    return (with_tf(lambda tf: tf.nn.conv2d(x, w, [1, *strides, 1], "SAME").numpy(), onednn)), formula(x, w, strides)


def formula(x, w, strides):
    """Zeros around x, the odd one behind; then a sum of products for each place."""
    outs = [-(-n // s) for n, s in zip(x.shape[1:3], strides)]
    more = [max((o - 1) * s + k - n, 0) for n, k, s, o in zip(x.shape[1:3], w.shape, strides, outs)]
    x = np.pad(x, [(0, 0)] + [(m // 2, m - m // 2) for m in more] + [(0, 0)])
    y = np.zeros([x.shape[0], *outs, w.shape[3]], np.float32)
    for i, j in np.ndindex(*outs):
        top, left = i * strides[0], j * strides[1]
        y[:, i, j] = np.tensordot(x[:, top:top + w.shape[0], left:left + w.shape[1]], w, 3)
    return y


wrong("2 x 2 x 2 x 1, a filter of 1 x 3, stride 2", *conv((2, 2, 2, 1), (1, 3, 1, 1)))
wrong("6 x 5 x 2 x 1, a filter of 2 x 4, stride 2", *conv((6, 5, 2, 1), (2, 4, 1, 2)))
right("without oneDNN", *conv((6, 5, 2, 1), (2, 4, 1, 2), onednn=False))
right("one image", *conv((1, 5, 2, 1), (2, 4, 1, 2)))
right("two channels", *conv((6, 5, 2, 2), (2, 4, 2, 2)))
right("a filter of 2 x 2", *conv((6, 5, 2, 1), (2, 2, 1, 2)))
right("a width of 3", *conv((6, 5, 3, 1), (2, 4, 1, 2)))
right("stride 1", *conv((6, 5, 2, 1), (2, 4, 1, 2), (1, 1)))
verdict()

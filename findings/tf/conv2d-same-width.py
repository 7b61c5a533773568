"""
title: Conv2D with padding, SAME or explicit, returns what was in the memory before; sums of products are right.
library: tensorflow-cpu
shows: 2.21.0
since: 2.18.1 or before (2.12.0 is right)
class: bug
condition: With oneDNN (the default): one input channel, two images or more of two rows or more, a stride of 1 along the
    height and one along the width that leaves a single column, and a filter wider than the input.
rule: tf.nn.conv2d, padding SAME and explicit padding.
documented: docs/methods/fuzz.md, Found
tracker: none found
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


def explicit(width, stride, onednn=True):
    """A filter of 1 x 5 over 3 images of 6 rows, two zeros at either side."""
    x = np.arange(1, 18 * width + 1, dtype=np.float32).reshape(3, 6, width, 1)
    w = np.arange(1, 6, dtype=np.float32).reshape(1, 5, 1, 1)
    padded = np.pad(x, [(0, 0), (0, 0), (2, 2), (0, 0)])
    y = np.stack([np.tensordot(padded[:, :, j:j + 5], w[0], 2) for j in range(0, width, stride)], 2)
    padding = [[0, 0], [0, 0], [2, 2], [0, 0]]
    return with_tf(lambda tf: tf.nn.conv2d(x, w, [1, 1, stride, 1], padding).numpy(), onednn), y


wrong("2 x 2 x 2 x 1, a filter of 1 x 3, stride 2", *conv((2, 2, 2, 1), (1, 3, 1, 1)))
wrong("6 x 5 x 2 x 1, a filter of 2 x 4, stride 2", *conv((6, 5, 2, 1), (2, 4, 1, 2)))
wrong("3 x 6 x 1 x 1, a filter of 1 x 5, stride 3, explicit padding", *explicit(1, 3))
right("explicit padding without oneDNN", *explicit(1, 3, onednn=False))
right("explicit padding, stride 1", *explicit(1, 1))
right("explicit padding, as wide as the filter", *explicit(5, 3))
right("without oneDNN", *conv((6, 5, 2, 1), (2, 4, 1, 2), onednn=False))
right("one image", *conv((1, 5, 2, 1), (2, 4, 1, 2)))
right("two channels", *conv((6, 5, 2, 2), (2, 4, 2, 2)))
right("a filter of 2 x 2", *conv((6, 5, 2, 1), (2, 2, 1, 2)))
right("a width of 3", *conv((6, 5, 3, 1), (2, 4, 1, 2)))
right("stride 1", *conv((6, 5, 2, 1), (2, 4, 1, 2), (1, 1)))
verdict()

"""
title: Conv3D with padding SAME and a stride wider than its filter begins in the middle of the input, not at its start.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: float16 and float64, and float32 without oneDNN: along one axis the last place of the filter ends two
    elements or more before the input does.
rule: tf.nn, Notes on padding: SAME adds max(filter - stride, 0) zeros, or max(filter - (size % stride), 0), half of
    them (rounded down) before the input.  0 of them begin at its first element.  Conv2D does, and Conv3D with oneDNN.
documented: docs/methods/equiv.md, What was measured
tracker: none found
"""
import numpy as np

from library import right, verdict, with_tf, wrong


def conv(size, width, stride, axis=3, dtype=np.float64, onednn=True):
    """1, 2, … size along one axis; a filter of ones."""
    x = np.arange(1, size + 1, dtype=dtype).reshape(np.where(np.arange(5) == axis, size, 1))
    w = np.ones(np.where(np.arange(5) == axis - 1, width, 1), dtype)
    strides = [stride if i == axis else 1 for i in range(5)]
    got = with_tf(lambda tf: tf.nn.conv3d(x, w, strides, "SAME").numpy().ravel(), onednn)
    return got, formula(size, width, stride, dtype)


def formula(size, width, stride, dtype):
    """Zeros around x, the odd one behind; then a sum for each place."""
    more = max(width - (size % stride or stride), 0)
    x = np.pad(np.arange(1, size + 1, dtype=dtype), (more // 2, more - more // 2))
    return np.array([x[i:i + width].sum() for i in range(0, size, stride)])


for axis in (1, 2, 3):
    wrong(f"3 elements along axis {axis}, a filter of 1, stride 3", *conv(3, 1, 3, axis))
wrong("5 elements, a filter of 2, stride 5", *conv(5, 2, 5))
wrong("4 elements, a filter of 1, stride 4, float16", *conv(4, 1, 4, dtype=np.float16))
wrong("3 elements, a filter of 1, stride 3, float32 without oneDNN", *conv(3, 1, 3, dtype=np.float32, onednn=False))
right("3 elements, a filter of 1, stride 3, float32 with oneDNN", *conv(3, 1, 3, dtype=np.float32))
right("4 elements, a filter of 1, stride 3", *conv(4, 1, 3))
right("3 elements, a filter of 1, stride 2", *conv(3, 1, 2))
right("6 elements, a filter of 2, stride 5", *conv(6, 2, 5))
verdict()

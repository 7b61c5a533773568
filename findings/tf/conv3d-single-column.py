"""
title: Conv3D with a stride that leaves a single column gives other sums, and what was in the memory before.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: float32, with oneDNN (the default), padding VALID: one input channel, several rows, and a stride along the
    width alone that leaves one column.  A stride of 1 is right, as are two columns, two channels and Conv2D.
rule: tf.nn.conv3d: a sum of products for each place.
documented: docs/methods/fuzz.md, Found
tracker: none found
found: fuzz
"""
import numpy as np

from library import right, verdict, with_tf, wrong


def conv(rows, width, length, stride, onednn=True, channels=1, axes=3):
    """Rows of 1, 2, …; a filter of ones, `length` wide."""
    shape = [1] * (axes - 2) + [rows, width]
    x = np.arange(1, rows * width + 1, dtype=np.float32).reshape(1, *shape, 1).repeat(channels, -1)
    w = np.ones([1] * (axes - 1) + [length, channels, 1], np.float32)

    def call(tf):
        conv = tf.nn.conv3d if axes == 3 else tf.nn.conv2d
        return conv(x, w, [1] * axes + [stride, 1], "VALID").numpy().ravel()

    want = [channels * row[at:at + length].sum() for row in x[..., 0].reshape(rows, width)
            for at in range(0, width - length + 1, stride)]
    return with_tf(call, onednn), np.array(want, np.float32)


wrong("4 rows of 5, a filter of 5, stride 2", *conv(4, 5, 5, 2))
wrong("4 rows of 6, a filter of 5, stride 2", *conv(4, 6, 5, 2))
right("without oneDNN", *conv(4, 5, 5, 2, onednn=False))
right("stride 1", *conv(4, 5, 5, 1))
right("two columns", *conv(4, 7, 5, 2))
right("two channels", *conv(4, 5, 5, 2, channels=2))
right("Conv2D", *conv(4, 5, 5, 2, axes=2))
verdict()

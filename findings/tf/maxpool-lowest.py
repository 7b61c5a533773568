"""
title: MaxPool of nothing but -inf returns -3.4e38, the lowest float32; -inf is right.
library: tensorflow-cpu
shows: 2.12.0, 2.21.0
class: bug
condition: A window of nothing but -inf, in float32; with oneDNN and without.
rule: tf.raw_ops.MaxPool: the largest number of a window.
documented: docs/methods/equiv.md, What was measured
tracker: none found; https://github.com/tensorflow/tensorflow/issues/2501 is about NaN, which gave the same number
"""
import numpy as np

from library import right, verdict, with_tf, wrong

INF, LOWEST = float("inf"), -3.4028234663852886e38


def pool(values, onednn=True):
    x = np.array(values, np.float32).reshape(1, 1, -1, 1)
    return with_tf(lambda tf: tf.raw_ops.MaxPool(input=x, ksize=[1, 1, 2, 1], strides=[1, 1, 2, 1],
                                                 padding="VALID").numpy(), onednn)


wrong("-inf, -inf | 1, 2", pool([-INF, -INF, 1, 2]), [-INF, 2], seen=[LOWEST, 2])
wrong("-inf, -inf | 1, 2, without oneDNN", pool([-INF, -INF, 1, 2], False), [-INF, 2], seen=[LOWEST, 2])
right("-3e38, -inf", pool([-3e38, -INF]), [-3e38])
right("-inf, 1 | 2, 3", pool([-INF, 1, 2, 3]), [1, 3])
verdict()

"""
title: MaxPool3D of -inf and of NaN returns -3.4e38; -inf and NaN are right.
library: tensorflow-cpu
shows: 2.12.0, 2.21.0
class: bug
condition: With oneDNN (the default), a window of nothing but -inf or NaN.
rule: tf.raw_ops.MaxPool3D: the largest number of a window; without oneDNN it says so.
documented: docs/methods/equiv.md, What was measured
tracker: none found; https://github.com/tensorflow/tensorflow/issues/54841 is about NaN in MaxPool of two axes, which
    gave the same number
"""
import numpy as np

from library import right, verdict, with_tf, wrong

NAN, INF = float("nan"), float("inf")


def pool(values, onednn=True):
    x = np.array(values, np.float32).reshape(1, 1, 1, -1, 1)
    return with_tf(lambda tf: tf.raw_ops.MaxPool3D(input=x, ksize=[1, 1, 1, 2, 1], strides=[1, 1, 1, 2, 1],
                                                   padding="VALID").numpy(), onednn)


wrong("-inf, -inf | NaN, NaN", pool([-INF, -INF, NAN, NAN]), [-INF, NAN], seen=[-3.4028235e38] * 2)
right("-inf, -inf | NaN, NaN, without oneDNN", pool([-INF, -INF, NAN, NAN], False), [-INF, NAN])
right("-inf, 1 | 2, 3", pool([-INF, 1, 2, 3]), [1, 3])
verdict()

"""
title: Softmax of a row with a NaN returns NaN there and 0 elsewhere; NaN everywhere is right.
library: tensorflow-cpu
shows: 2.12.0, 2.21.0
class: bug
condition: With oneDNN (the default), a NaN among numbers.
rule: tf.raw_ops.Softmax: exp(x) by the sum of the row, which is NaN; without oneDNN it says so.
documented: docs/methods/equiv.md, What was measured
tracker: none found
"""
import numpy as np

from library import right, verdict, with_tf, wrong

NAN = float("nan")


def softmax(values, onednn=True):
    return with_tf(lambda tf: tf.raw_ops.Softmax(logits=np.array([values], np.float32)).numpy(), onednn)


wrong("1, NaN, 2", softmax([1, NAN, 2]), [NAN] * 3, seen=[0, NAN, 0])
right("1, NaN, 2, without oneDNN", softmax([1, NAN, 2], False), [NAN] * 3)
right("0, 0", softmax([0, 0]), [0.5, 0.5])
verdict()

"""
title: reduce_max and reduce_min compiled by XLA lose NaN: the largest of three NaNs is -inf; NaN is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
compiler: XLA
condition: jit_compile=True, on the CPU, a NaN among the numbers.  Eager TensorFlow and tf.function without XLA are
    right.
rule: tf.function: with jit_compile=True the same computation is compiled; XLA's own Max: NaN where one of two is NaN.
documented: docs/methods/equiv.md, Documented functions
tracker: https://github.com/tensorflow/tensorflow/issues/116992
"""
import numpy as np

from library import called, right, verdict, wrong

NAN = float("nan")


def f32(*values):
    return np.array(values, np.float32)


wrong("the largest of 1, NaN, 2", called(lambda tf, x: tf.reduce_max(x), f32(1, NAN, 2), how="xla"), NAN, seen=2)
wrong("the largest of NaNs", called(lambda tf, x: tf.reduce_max(x), f32(NAN, NAN, NAN), how="xla"), NAN,
      seen=-float("inf"))
wrong("the smallest of 1, NaN, 2", called(lambda tf, x: tf.reduce_min(x), f32(1, NAN, 2), how="xla"), NAN, seen=1)
right("the largest of 1, NaN, 2, eager", called(lambda tf, x: tf.reduce_max(x), f32(1, NAN, 2)), NAN)
right("the same in a graph", called(lambda tf, x: tf.reduce_max(x), f32(1, NAN, 2), how="graph"), NAN)
right("without a NaN", called(lambda tf, x: tf.reduce_max(x), f32(1, 3, 2), how="xla"), 3)
verdict()

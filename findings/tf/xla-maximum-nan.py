"""
title: tf.maximum(1, NaN) compiled by XLA is 1; NaN is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
compiler: XLA
condition: jit_compile=True, on the CPU, NaN as the second of two; as the first it is kept.  Eager TensorFlow and
    tf.function without XLA are right.
rule: XLA's Max, which tf.maximum becomes: NaN where one of two is NaN; eager TensorFlow does so.
documented: docs/methods/equiv.md, Documented functions
tracker: https://github.com/tensorflow/tensorflow/issues/116992
"""
import numpy as np

from library import called, right, verdict, wrong

NAN = float("nan")


def f32(*values):
    return np.array(values, np.float32)


wrong("the larger of 1 and NaN", called(lambda tf, x, y: tf.maximum(x, y), f32(1), f32(NAN), how="xla"), f32(NAN),
      seen=f32(1))
wrong("the smaller of 1 and NaN", called(lambda tf, x, y: tf.minimum(x, y), f32(1), f32(NAN), how="xla"), f32(NAN),
      seen=f32(1))
right("the larger of NaN and 1", called(lambda tf, x, y: tf.maximum(x, y), f32(NAN), f32(1), how="xla"), f32(NAN))
right("the larger of 1 and NaN, eager", called(lambda tf, x, y: tf.maximum(x, y), f32(1), f32(NAN)), f32(NAN))
verdict()

"""
title: argmax compiled by XLA of 3, NaN, 1, 2 is 3, the place of 2; 0, the largest number, or 1, the NaN, are right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
compiler: XLA
condition: jit_compile=True, on the CPU, a NaN before the last element: the place of what comes behind it is found.
    Eager TensorFlow leaves NaN out.
rule: tf.argmax: the index with the largest value; the element at the index is neither that nor NaN.
documented: docs/methods/equiv.md, Documented functions
tracker: https://github.com/tensorflow/tensorflow/issues/118647 (calls sizes that are powers of 2 right)
"""
import numpy as np

from library import called, right, verdict, wrong

NAN = float("nan")


def f32(*values):
    return np.array(values, np.float32)


wrong("the place of the largest of 3, NaN, 1, 2", called(lambda tf, x: tf.argmax(x), f32(3, NAN, 1, 2), how="xla"), 0,
      seen=3)
wrong("the place of the smallest of 1, NaN, 2", called(lambda tf, x: tf.argmin(x), f32(1, NAN, 2), how="xla"), 0,
      seen=2)
right("the same, eager", called(lambda tf, x: tf.argmax(x), f32(3, NAN, 1, 2)), 0)
right("without a NaN", called(lambda tf, x: tf.argmax(x), f32(3, 0, 1, 2), how="xla"), 0)
verdict()

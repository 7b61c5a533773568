"""
title: tf.math.top_k of 3, NaN, 1, 2 with k = 1 is 2; 3 or NaN is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: A NaN among the numbers, eager or in a graph.  Compiled by XLA the NaN is given.
rule: tf.math.top_k: the k largest entries; 2 is not the largest of 3, 1, 2.
documented: docs/methods/equiv.md, Documented functions
tracker: https://github.com/tensorflow/tensorflow/issues/117287
"""
import numpy as np

from library import called, right, verdict, wrong

NAN = float("nan")


def f32(*values):
    return np.array(values, np.float32)


wrong("3, NaN, 1, 2", called(lambda tf, x: tf.math.top_k(x, 1)[0], f32(3, NAN, 1, 2)), f32(3), seen=f32(2))
right("compiled by XLA", called(lambda tf, x: tf.math.top_k(x, 1)[0], f32(3, NAN, 1, 2), how="xla"), f32(NAN))
right("without a NaN", called(lambda tf, x: tf.math.top_k(x, 1)[0], f32(3, 0, 1, 2)), f32(3))
verdict()

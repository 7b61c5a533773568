"""
title: tf.sort of 3, NaN, 1, 2 is 1, 3, NaN, 2: numbers are out of order; 1, 2, 3 and NaN at an end are right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: A NaN among the numbers, eager or in a graph.  Compiled by XLA it is right.
rule: tf.sort: sorts a tensor; of two numbers the smaller one comes first.
documented: docs/methods/equiv.md, Documented functions
tracker: https://github.com/tensorflow/tensorflow/issues/119359
"""
import numpy as np

from library import called, right, verdict, wrong

NAN = float("nan")


def f32(*values):
    return np.array(values, np.float32)


wrong("3, NaN, 1, 2", called(lambda tf, x: tf.sort(x), f32(3, NAN, 1, 2)), f32(1, 2, 3, NAN), seen=f32(1, 3, NAN, 2))
right("compiled by XLA", called(lambda tf, x: tf.sort(x), f32(3, NAN, 1, 2), how="xla"), f32(1, 2, 3, NAN))
right("without a NaN", called(lambda tf, x: tf.sort(x), f32(3, 0, 1, 2)), f32(0, 1, 2, 3))
verdict()

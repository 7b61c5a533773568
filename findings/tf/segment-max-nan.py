"""
title: tf.math.unsorted_segment_max of 3, NaN, 1, 2 in one segment is 2; 3 or NaN is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: A NaN before the largest number's end, eager or in a graph: what comes behind the NaN is all that counts.
    Compiled by XLA it is 3, but of NaNs alone the lowest number of the type.
rule: tf.math.unsorted_segment_max: the maximum of each segment; 2 is not the largest of 3, 1, 2.
documented: docs/methods/equiv.md, Documented functions
tracker: https://github.com/tensorflow/tensorflow/issues/118375,
    https://github.com/tensorflow/tensorflow/issues/117862 (closed as stale)
"""
import numpy as np

from library import called, right, verdict, wrong

NAN = float("nan")


def f32(*values):
    return np.array(values, np.float32)


def largest(*values, how="eager"):
    return called(lambda tf, x: tf.math.unsorted_segment_max(x, [0] * len(values), 1), f32(*values), how=how)


def smallest(*values, how="eager"):
    return called(lambda tf, x: tf.math.unsorted_segment_min(x, [0] * len(values), 1), f32(*values), how=how)


wrong("the largest of 3, NaN, 1, 2", largest(3, NAN, 1, 2), f32(3), seen=f32(2))
wrong("the smallest of 1, NaN, 2", smallest(1, NAN, 2), f32(1), seen=f32(2))
wrong("the largest of NaNs, by XLA", largest(NAN, NAN, NAN, how="xla"), f32(NAN), seen=f32(np.finfo(np.float32).min))
right("compiled by XLA", largest(3, NAN, 1, 2, how="xla"), f32(3))
right("without a NaN", largest(3, 0, 1, 2), f32(3))
verdict()

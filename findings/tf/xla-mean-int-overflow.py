"""
title: tf.reduce_mean of int32 numbers 2147483647 and 5 compiled by XLA is -1073741822; 1073741826 is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
compiler: XLA
condition: jit_compile=True, int32, a sum that does not fit; the mean does.  Eager TensorFlow is right.
rule: tf.reduce_mean: the mean of the elements; of whole numbers a whole number, and this one fits the type.
documented: docs/methods/equiv.md, Documented functions
tracker: https://github.com/tensorflow/tensorflow/issues/125978 (fixed after 2.21.0 by 126012)
"""
import numpy as np

from library import called, right, verdict, wrong


def mean(how, *values):
    return called(lambda tf, x: tf.reduce_mean(x), np.array(values, np.int32), how=how)


wrong("2147483647 and 5", mean("xla", 2147483647, 5), np.int32(1073741826), seen=np.int32(-1073741822))
right("2147483647 and 5, eager", mean("eager", 2147483647, 5), np.int32(1073741826))
right("7 and 5", mean("xla", 7, 5), np.int32(6))
verdict()

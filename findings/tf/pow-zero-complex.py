"""
title: tf.pow(0, 0) of complex64 is NaN; 1 is right, as for floats.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: complex64, base 0 and exponent 0, eager or in a graph.  float32, and complex64 compiled by XLA, are right.
rule: tf.pow: x to the power y; to the power 0 everything is 1, as tf.pow has it for floats and XLA for complex
    numbers.
documented: docs/methods/equiv.md, Documented functions
tracker: https://github.com/tensorflow/tensorflow/issues/117802
"""
import numpy as np

from library import called, right, verdict, wrong

ZERO, ONE = np.array([0], np.complex64), np.array([1], np.complex64)
NAN = np.array([complex(float("nan"), float("nan"))], np.complex64)

wrong("0 to the power 0", called(lambda tf, x, y: tf.pow(x, y), ZERO, ZERO), ONE, seen=NAN)
right("the same by XLA", called(lambda tf, x, y: tf.pow(x, y), ZERO, ZERO, how="xla"), ONE)
right("1 to the power 0", called(lambda tf, x, y: tf.pow(x, y), ONE, ZERO), ONE)
right("of float32", called(lambda tf, x, y: tf.pow(x, y), np.float32([0]), np.float32([0])), np.float32([1]))
verdict()

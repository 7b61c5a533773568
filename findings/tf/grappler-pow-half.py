"""
title: tf.pow(-inf, 0.5) is NaN in tf.function and infinity eager, which is right; tf.pow(-inf, -0.5) likewise NaN in
    place of 0.
library: tensorflow-cpu
shows: 2.21.0
class: bug
compiler: Grappler
condition: tf.function: the optimizer makes sqrt and rsqrt of powers with a constant exponent.  Eager, and compiled by
    XLA, they are right.
rule: C's pow, which eager TensorFlow follows: pow(-inf, y) is inf for y > 0, and 0 for y < 0, where y is no odd
    integer.
documented: docs/methods/equiv.md, Documented functions
tracker: none found
"""
import numpy as np

from library import called, right, verdict, wrong

def f32(*values):
    return np.array(values, np.float32)


wrong("to the power 0.5", called(lambda tf, x: tf.pow(x, 0.5), f32(-np.inf, 4), how="graph"), f32(np.inf, 2),
      seen=f32(np.nan, 2))
wrong("to the power -0.5", called(lambda tf, x: tf.pow(x, -0.5), f32(-np.inf, 4), how="graph"), f32(0, 0.5),
      seen=f32(np.nan, 0.5))
right("to the power 0.5, eager", called(lambda tf, x: tf.pow(x, 0.5), f32(-np.inf, 4)), f32(np.inf, 2))
right("to the power 0.5, by XLA", called(lambda tf, x: tf.pow(x, 0.5), f32(-np.inf, 4), how="xla"), f32(np.inf, 2))
verdict()

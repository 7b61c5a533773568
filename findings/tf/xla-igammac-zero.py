"""
title: tf.math.igammac(0, 1) compiled by XLA is 1; 0, or NaN as eager, is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
compiler: XLA
condition: jit_compile=True, a = 0 and x > 0; a = 1 and x = -1, outside of its domain, is 1 as well.  Eager TensorFlow
    gives NaN for both.
rule: tf.math.igammac: Q(a, x), which goes to 0 as a does, for x > 0.
documented: docs/methods/equiv.md, Documented functions
tracker: https://github.com/openxla/xla/issues/49175 (seen there with negative numbers, for which it is 1 as well)
"""
import numpy as np

from library import called, right, verdict, wrong

def f32(*values):
    return np.array(values, np.float32)


wrong("Q(0, 1)", called(lambda tf, a, x: tf.math.igammac(a, x), f32(0), f32(1), how="xla"), f32(0), seen=f32(1))
wrong("Q(1, -1)", called(lambda tf, a, x: tf.math.igammac(a, x), f32(1), f32(-1), how="xla"), f32(np.nan), seen=f32(1))
right("Q(1, 1)", called(lambda tf, a, x: tf.math.igammac(a, x), f32(1), f32(1), how="xla"), f32(np.exp(-1)), rel=1e-4)
verdict()

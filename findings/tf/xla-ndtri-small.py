"""
title: tf.math.ndtri(1e-8) compiled by XLA is -inf; -5.61 is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
compiler: XLA
condition: jit_compile=True, float32, numbers below some 1e-8.  Eager TensorFlow is right.
rule: tf.math.ndtri: the quantile of the normal distribution; that of 1e-8 is -5.612001.
documented: docs/methods/equiv.md, Documented functions
tracker: none found
"""
import numpy as np

from library import called, right, verdict, wrong

def f32(*values):
    return np.array(values, np.float32)


wrong("1e-8", called(lambda tf, x: tf.math.ndtri(x), f32(1e-8), how="xla"), f32(-5.612001), seen=f32(-np.inf))
wrong("1e-10", called(lambda tf, x: tf.math.ndtri(x), f32(1e-10), how="xla"), f32(-6.361341), seen=f32(-np.inf))
right("1e-8, eager", called(lambda tf, x: tf.math.ndtri(x), f32(1e-8)), f32(-5.612001), rel=1e-4)
right("1e-4", called(lambda tf, x: tf.math.ndtri(x), f32(1e-4), how="xla"), f32(-3.719016), rel=1e-3)
verdict()

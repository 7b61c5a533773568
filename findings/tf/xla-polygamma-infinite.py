"""
title: tf.math.polygamma(1, infinity) compiled by XLA is NaN; 0 is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
compiler: XLA
condition: jit_compile=True, on the CPU, an infinite second argument.  Eager TensorFlow and tf.function without XLA give
    0.
rule: tf.math.polygamma: the derivatives of digamma, which go to 0 as x goes to infinity; eager TensorFlow gives 0.
documented: docs/methods/equiv.md, Documented functions
found: equiv
tracker: none found
"""
import numpy as np

from library import called, right, verdict, wrong


def f32(*values):
    return np.array(values, np.float32)


def polygamma(order, x, how):
    return called(lambda tf, n, v: tf.math.polygamma(n, v), f32(order), f32(x), how=how)


wrong("of order 1", polygamma(1, np.inf, "xla"), f32(0), seen=f32(np.nan))
wrong("of order 2", polygamma(2, np.inf, "xla"), f32(0), seen=f32(np.nan))
right("of order 1, eager", polygamma(1, np.inf, "eager"), f32(0))
right("of order 1, in tf.function", polygamma(1, np.inf, "graph"), f32(0))
right("of order 1 and 1e10, whose trigamma is 1e-10", polygamma(1, 1e10, "xla"), f32(1e-10))
verdict()

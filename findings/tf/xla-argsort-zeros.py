"""
title: tf.argsort of 0, -0 with stable=True compiled by XLA is 1, 0: equal elements are re-ordered; 0, 1 is right.
library: tensorflow-cpu
shows: 2.21.0
class: difference
compiler: XLA
condition: jit_compile=True, zeros of both signs.  Eager TensorFlow and tf.function without XLA are right, and so are
    equal numbers other than 0.
rule: tf.argsort, argument stable: "If True, equal elements in the original tensor will not be re-ordered"; 0 and -0 are
    equal.
documented: docs/methods/equiv.md, Documented functions: what was run
tracker: https://github.com/jax-ml/jax/issues/2124 tells of JAX that XLA's order has -0 before 0
"""
import numpy as np

from library import called, right, verdict, wrong

ZEROS = np.array([0.0, -0.0], np.float32)


def order(values, how):
    return called(lambda tf, x: tf.argsort(x, stable=True), values, how=how)


wrong("0, -0", order(ZEROS, "xla"), [0, 1], seen=[1, 0])
right("0, -0, eager", order(ZEROS, "eager"), [0, 1])
right("0, -0 in a graph", order(ZEROS, "graph"), [0, 1])
right("2, 2", order(np.array([2, 2], np.float32), "xla"), [0, 1])
verdict()

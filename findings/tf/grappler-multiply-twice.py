"""
title: (1e-30 * 1e30) * 1e30 with constants 1e30 is inf in tf.function and by XLA; 1e30 is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
compiler: Grappler, XLA
condition: tf.function, with jit_compile=True or without: the two constants are multiplied first.  Eager is right.
rule: tf.math.multiply: x * y of what stands there; the first product is 1, the second 1e30.
documented: docs/methods/equiv.md, Documented functions
tracker: none found
"""
import numpy as np

from library import called, right, verdict, wrong

def f32(*values):
    return np.array(values, np.float32)


def product(x, c, how="eager"):
    return called(lambda tf, t: (t * tf.constant(c)) * tf.constant(c), f32(x), how=how)


wrong("1e-30 times 1e30 twice", product(1e-30, f32(1e30), "graph"), f32(1e30), seen=f32(np.inf))
wrong("the same by XLA", product(1e-30, f32(1e30), "xla"), f32(1e30), seen=f32(np.inf))
wrong("1e30 times 1e-30 twice", product(1e30, f32(1e-30), "graph"), f32(1e-30), seen=f32(0), abs=1e-36)
right("1e-30 times 1e30 twice, eager", product(1e-30, f32(1e30)), f32(1e30))
right("1 times 1e10 twice", product(1, f32(1e10), "graph"), f32(1e20))
verdict()

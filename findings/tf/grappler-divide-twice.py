"""
title: (1e38 / 1e30) / 1e30 with constants 1e30 is 0 in tf.function and by XLA; 1e-22 is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
compiler: Grappler, XLA
condition: tf.function, with jit_compile=True or without: x is divided by the product of both, which overflows.  Eager
    is right.
rule: tf.math.divide: x / y of what stands there.
documented: docs/methods/equiv.md, Documented functions
tracker: none found
"""
import numpy as np

from library import called, right, verdict, wrong

def f32(*values):
    return np.array(values, np.float32)


def quotient(x, how="eager"):
    return called(lambda tf, t: (t / tf.constant(f32(1e30))) / tf.constant(f32(1e30)), f32(x), how=how)


wrong("in a graph", quotient(1e38, "graph"), f32(1e-22), seen=f32(0), abs=1e-28)
wrong("by XLA", quotient(1e38, "xla"), f32(1e-22), seen=f32(0), abs=1e-28)
right("eager", quotient(1e38), f32(1e-22), abs=1e-28)
verdict()

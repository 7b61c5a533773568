"""
title: (-3e38 + 3e38) + 3e38 with constants 3e38 is inf in tf.function and by XLA; 3e38 is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
compiler: Grappler, XLA
condition: tf.function, with jit_compile=True or without: the two constants are added first.  Eager is right.
rule: tf.math.add: x + y of what stands there; the first sum is 0.
documented: docs/methods/equiv.md, Documented functions
tracker: none found; https://github.com/tensorflow/tensorflow/issues/52045 (closed) is about (1 - x) + epsilon, whose
    constants are added first as well
"""
import numpy as np

from library import called, right, verdict, wrong

def f32(*values):
    return np.array(values, np.float32)


def total(x, how="eager"):
    return called(lambda tf, t: (t + tf.constant(f32(3e38))) + tf.constant(f32(3e38)), f32(x), how=how)


wrong("in a graph", total(-3e38, "graph"), f32(3e38), seen=f32(np.inf))
wrong("by XLA", total(-3e38, "xla"), f32(3e38), seen=f32(np.inf))
right("eager", total(-3e38), f32(3e38))
verdict()

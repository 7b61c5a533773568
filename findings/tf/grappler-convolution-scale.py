"""
title: In tf.function a convolution of 1e-30 with a kernel of 1e30, times 1e30, is inf; 1e30 is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
compiler: Grappler, XLA
condition: tf.function, with jit_compile=True or without: kernel and factor are constants, and are multiplied first.
    Eager is right.
rule: tf.nn.conv2d and multiply of what stands there: the convolution gives 1.
documented: docs/methods/equiv.md, Documented functions
tracker: none found
"""
import numpy as np

from library import called, right, verdict, wrong

def f32(*values):
    return np.array(values, np.float32)


def scaled(x, c, how="eager"):
    one = f32(x).reshape(1, 1, 1, 1)
    return called(lambda tf, t: tf.nn.conv2d(t, tf.constant(c, shape=[1, 1, 1, 1]), 1, "SAME") * tf.constant(c), one,
                  how=how)


def result(x):
    return f32(x).reshape(1, 1, 1, 1)


wrong("1e-30, in a graph", scaled(1e-30, 1e30, "graph"), result(1e30), seen=result(np.inf))
wrong("1e-30, by XLA", scaled(1e-30, 1e30, "xla"), result(1e30), seen=result(np.inf))
right("1e-30, eager", scaled(1e-30, 1e30), result(1e30))
right("1, with 1e10", scaled(1, 1e10, "graph"), result(1e20))
verdict()

"""
title: In tf.function 3e38 by a constant 3e38 is 0; 1 is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
compiler: Grappler
condition: tf.function with a divisor that is a constant above 8.5e37: the optimizer multiplies by its inverse, which
    is too small for a normal number.  Complex divisors from some 2e19 on, as in Fig. 4 of the EAGLE paper.  Eager is
    right.
rule: tf.math.divide: x / y.
documented: docs/methods/equiv.md, Documented functions
tracker: https://github.com/tensorflow/tensorflow/issues/51643 (closed; seen there with tf.math.xdivy)
"""
import numpy as np

from library import called, right, verdict, wrong

def f32(*values):
    return np.array(values, np.float32)


C = np.array([3e38 + 0j], np.complex64)
wrong("float32", called(lambda tf, x: x / tf.constant(f32(3e38)), f32(3e38), how="graph"), f32(1), seen=f32(0))
wrong("complex64", called(lambda tf, x: x / tf.constant(C), C, how="graph"), C / C, seen=np.array([0], np.complex64))
wrong("xdivy, complex64", called(lambda tf, x: tf.math.xdivy(x, tf.constant(C)), C, how="graph"), C / C,
      seen=np.array([0], np.complex64))
right("float32, eager", called(lambda tf, x: x / tf.constant(f32(3e38)), f32(3e38)), f32(1))
right("a divisor that is no constant", called(lambda tf, x, y: x / y, f32(3e38), f32(3e38), how="graph"), f32(1))
verdict()

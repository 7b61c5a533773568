"""
title: 3e38 by a complex constant 3e38, compiled by XLA, is 0; 1 is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
compiler: XLA
condition: jit_compile=True, complex64, a divisor that is a constant from some 2e19 on.  A divisor that is an argument
    is right.
rule: tf.math.divide: x / y.
documented: docs/methods/equiv.md, Documented functions
tracker: none found; https://github.com/tensorflow/tensorflow/issues/51643 (closed) is about tf.function without XLA
"""
import numpy as np

from library import called, right, verdict, wrong

C = np.array([3e38], np.complex64)
ONE, ZERO = np.array([1], np.complex64), np.array([0], np.complex64)
wrong("a constant", called(lambda tf, x: x / tf.constant(C), C, how="xla"), ONE, seen=ZERO)
right("an argument", called(lambda tf, x, y: x / y, C, C, how="xla"), ONE)
right("a constant, eager", called(lambda tf, x: x / tf.constant(C), C), ONE)
verdict()

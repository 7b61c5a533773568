"""
title: tf.abs(1 + NaN i) compiled by XLA is 1.414; NaN is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
compiler: XLA
condition: jit_compile=True, complex64, NaN as the imaginary part.  Eager TensorFlow is right.
rule: tf.abs: sqrt(a² + b²), which is NaN where b is.
documented: docs/methods/equiv.md, Documented functions
tracker: none found; https://github.com/tensorflow/tensorflow/issues/115734 is about inf + NaN i on a GPU
"""
import numpy as np

from library import called, right, verdict, wrong

Z = np.array([complex(1, float("nan"))], np.complex64)
wrong("1 + NaN i", called(lambda tf, x: tf.abs(x), Z, how="xla"), np.float32([np.nan]), seen=np.float32([np.sqrt(2)]))
right("the same, eager", called(lambda tf, x: tf.abs(x), Z), np.float32([np.nan]))
right("3 + 4 i", called(lambda tf, x: tf.abs(x), np.complex64([3 + 4j]), how="xla"), np.float32([5]))
verdict()

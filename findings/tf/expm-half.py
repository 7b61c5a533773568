"""
title: tf.linalg.expm of a float16 matrix is refused; its exponential is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: float16 on a CPU: there is no kernel that solves a system of such numbers.  Compiled by XLA it is right.
rule: tf.linalg.expm, argument input: "Must be float16, float32, float64, complex64, or complex128".
documented: docs/methods/equiv.md, Documented functions
tracker: https://github.com/tensorflow/tensorflow/issues/121912
"""
import numpy as np

from library import Refused, called, right, verdict, wrong


def exponential(kind, how="eager"):
    return called(lambda tf, x: tf.linalg.expm(x), np.zeros((2, 2), kind), how=how)


wrong("zeros, float16", exponential(np.float16), np.eye(2, dtype=np.float16), seen=Refused("MatrixSolve"))
right("zeros, float32", exponential(np.float32), np.eye(2, dtype=np.float32))
right("zeros, float16, XLA", exponential(np.float16, "xla"), np.eye(2, dtype=np.float16))
verdict()

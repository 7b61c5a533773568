"""
title: tf.math.erfinv(1e-8) is 0 and erfinv(1e-6) is 5 % off; 8.862269e-9 and 8.862269e-7 are right.
library: tensorflow-cpu
shows: 2.21.0
class: precision
condition: float32, eager or in a graph, small numbers: half of 1 + x is formed.  Compiled by XLA it is right.
rule: tf.math.erfinv: the inverse of erf, x * sqrt(pi) / 2 for small x.
documented: docs/methods/equiv.md, Documented functions
tracker: none found; https://github.com/tensorflow/tensorflow/issues/121629 (closed) is about numbers near 1 and -1,
    where half of 1 + x is formed as well
"""
import numpy as np

from library import called, right, verdict, wrong

def f32(*values):
    return np.array(values, np.float32)


half = np.sqrt(np.pi) / 2
wrong("1e-8", called(lambda tf, x: tf.math.erfinv(x), f32(1e-8)), f32(1e-8 * half), seen=f32(0), abs=1e-12)
wrong("1e-6", called(lambda tf, x: tf.math.erfinv(x), f32(1e-6)), f32(1e-6 * half), seen=f32(8.451718e-07), abs=1e-12)
right("1e-8, compiled by XLA", called(lambda tf, x: tf.math.erfinv(x), f32(1e-8), how="xla"), f32(1e-8 * half),
      abs=1e-12)
right("0.1", called(lambda tf, x: tf.math.erfinv(x), f32(0.1)), f32(0.088855990), rel=1e-4)
verdict()

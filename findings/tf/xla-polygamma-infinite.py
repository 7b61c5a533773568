"""
title: tf.math.polygamma(1, inf) compiled by XLA is NaN; 0 is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: jit_compile=True, an infinite second argument.  Eager TensorFlow is right.
rule: tf.math.polygamma: n! times zeta(n + 1, x) up to the sign, which goes to 0.
documented: docs/methods/equiv.md, Documented functions
tracker: https://github.com/tensorflow/tensorflow/pull/121744 (closed; of zeta, by which polygamma is computed);
    https://github.com/jax-ml/jax/issues/38608 tells the same of JAX
"""
import numpy as np

from library import called, right, verdict, wrong

def f32(*values):
    return np.array(values, np.float32)


wrong("polygamma(1, inf)", called(lambda tf, n, x: tf.math.polygamma(n, x), f32(1), f32(np.inf), how="xla"), f32(0),
      seen=f32(np.nan))
right("the same, eager", called(lambda tf, n, x: tf.math.polygamma(n, x), f32(1), f32(np.inf)), f32(0))
right("polygamma(1, 1)", called(lambda tf, n, x: tf.math.polygamma(n, x), f32(1), f32(1), how="xla"),
      f32(np.pi ** 2 / 6), rel=1e-4)
verdict()

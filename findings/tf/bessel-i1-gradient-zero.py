"""
title: The gradient of tf.math.bessel_i1 at 0 is 1; it is 0.5.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: Exactly 0, or -0; at 1e-6 it is right.  The gradient is computed as I0(x) - I1(x) / x, where 0 / 0 counts
    as 0.
rule: tf.math.bessel_i1: the modified Bessel function of order 1, x / 2 + x^3 / 16 + …, whose derivative at 0 is 1 / 2.
documented: docs/methods/equiv.md, Documented functions
found: equiv
tracker: https://github.com/tensorflow/tensorflow/issues/120578
"""
import numpy as np

from library import right, verdict, with_tf, wrong


def gradient(name, x):
    def inner(tf):
        v = tf.constant(x, tf.float64)
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = getattr(tf.math, name)(v)
        return tape.gradient(y, v).numpy()
    return with_tf(inner)


wrong("bessel_i1 at 0", gradient("bessel_i1", 0.0), np.float64(0.5), seen=np.float64(1))
wrong("bessel_i1 at -0", gradient("bessel_i1", -0.0), np.float64(0.5), seen=np.float64(1))
right("bessel_i1 at 1e-6", gradient("bessel_i1", 1e-6), np.float64(0.5))
right("bessel_i1e, scaled by exp(-|x|), at 1e-6", gradient("bessel_i1e", 1e-6), np.float64(0.5 - 1e-6))
verdict()

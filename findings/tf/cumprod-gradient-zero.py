"""
title: The gradient of tf.math.cumprod by a number that is 0 is 0; of [0, 2, 3] it should be 9 by the first.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: A 0 among the numbers, exclusive or not: the gradient is a quotient by them, and 0 where that is 0 / 0.
rule: tf.math.cumprod: products of the first numbers, so that the gradient by one of them is made of the others.
documented: docs/methods/equiv.md, Documented functions
found: equiv
tracker: https://github.com/tensorflow/tensorflow/issues/119430 (fixed after 2.21.0 by 120282), 3862
"""
import numpy as np

from library import right, verdict, with_tf, wrong


def gradient(*x, **options):
    """Of the sum of all products."""
    def inner(tf):
        v = tf.constant(x, tf.float64)
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = tf.reduce_sum(tf.math.cumprod(v, **options))
        return tape.gradient(y, v).numpy()
    return with_tf(inner)


def f64(*values):
    return np.array(values, np.float64)


wrong("0, 2, 3", gradient(0, 2, 3), f64(9, 0, 0), seen=f64(0, 0, 0))
wrong("0, 2, 3, exclusive", gradient(0, 2, 3, exclusive=True), f64(3, 0, 0), seen=f64(0, 0, 0))
right("1, 2, 3", gradient(1, 2, 3), f64(9, 4, 2))
right("1, 2, 0: by the first two", lambda: gradient(1, 2, 0)()[:2], f64(3, 1))
verdict()

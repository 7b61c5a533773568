"""
title: In tf.function reduce_max(sqrt(x)) of -1 and 4 is 2; NaN is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
compiler: Grappler
condition: tf.function: the optimizer takes the largest number first, and its root then, so that the NaN of the other
    one is lost; likewise log and log1p, and rsqrt under reduce_min.  Eager is right.
rule: tf.reduce_max: NaN where an element is NaN, as eager TensorFlow has it.
documented: docs/methods/equiv.md, Documented functions
tracker: none found; https://github.com/tensorflow/tensorflow/pull/122826 (merged) is about ArgMax and ArgMin; its
    review calls the rewrite of Max and Min right for all monotonic functions
"""
import numpy as np

from library import called, right, verdict, wrong

def f32(*values):
    return np.array(values, np.float32)


def largest(name, x, how):
    return called(lambda tf, t: tf.reduce_max(getattr(tf.math, name)(t)), x, how=how)


wrong("sqrt", largest("sqrt", f32(-1, 4), "graph"), np.float32(np.nan), seen=np.float32(2))
wrong("log", largest("log", f32(-1, 1), "graph"), np.float32(np.nan), seen=np.float32(0))
wrong("log1p", largest("log1p", f32(-2, 0), "graph"), np.float32(np.nan), seen=np.float32(0))
right("sqrt, eager", largest("sqrt", f32(-1, 4), "eager"), np.float32(np.nan))
right("sqrt of 1 and 4", largest("sqrt", f32(1, 4), "graph"), np.float32(2))
verdict()

"""
title: tf.math.cumulative_logsumexp counts a NaN as the number before it: of 1, NaN it is 1, 1.69; 1, NaN is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: A NaN among the numbers, eager, in a graph and by XLA.
rule: tf.math.cumulative_logsumexp: log(exp(x1) + … + exp(xi)), which is NaN where one of them is.
documented: docs/methods/equiv.md, Documented functions
tracker: https://github.com/tensorflow/tensorflow/issues/111383 (the fix is in
    https://github.com/tensorflow/tensorflow/pull/127513, open)
"""
import numpy as np

from library import called, right, verdict, wrong

NAN = float("nan")


def f32(*values):
    return np.array(values, np.float32)


wrong("1, NaN", called(lambda tf, x: tf.math.cumulative_logsumexp(x), f32(1, NAN)), f32(1, NAN),
      seen=f32(1, 1 + np.log(2)))
wrong("NaN, 1", called(lambda tf, x: tf.math.cumulative_logsumexp(x), f32(NAN, 1)), f32(NAN, NAN),
      seen=f32(-float("inf"), 1))
right("reduce_logsumexp", called(lambda tf, x: tf.reduce_logsumexp(x), f32(1, NAN)), NAN)
right("without a NaN", called(lambda tf, x: tf.math.cumulative_logsumexp(x), f32(1, 1)), f32(1, 1 + np.log(2)))
verdict()

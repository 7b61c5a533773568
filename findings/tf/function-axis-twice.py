"""
title: In tf.function reduce_sum of a 1 × 1 matrix takes axis [0, 0] and reduces one axis; a plain call refuses it.
library: tensorflow-cpu
shows: 2.21.0
class: difference
compiler: Grappler
condition: tf.function, all sizes 1: the optimizer drops a reduction that reduces nothing, and with it the check of its
    axes; likewise reduce_mean, reduce_max, count_nonzero.  Of other sizes both refuse it.
rule: A plain call says "Axes contains duplicate dimension"; the guide to graphs lets errors go where an operation has
    no effect, but here its result is asked for.
documented: docs/methods/equiv.md, Documented functions; docs/eagle-bugs.md, TensorFlow and its Keras
tracker: https://github.com/tensorflow/tensorflow/issues/54265
"""
import numpy as np

from library import Refused, called, right, verdict, wrong


def twice(name, shape, how):
    return called(lambda tf, x: getattr(tf.math, name)(x, axis=[0, 0]), np.ones(shape, np.float32), how=how)


for function in ("reduce_sum", "reduce_mean", "reduce_max", "count_nonzero"):
    kind = np.int64 if function == "count_nonzero" else np.float32
    wrong(f"{function}, 1 x 1", twice(function, (1, 1), "graph"), Refused("duplicate dimension"), seen=np.ones(1, kind))
    right(f"{function}, 1 x 1, eager", twice(function, (1, 1), "eager"), Refused("duplicate dimension"))
    right(f"{function}, 1 x 3", twice(function, (1, 3), "graph"), Refused("duplicate dimension"))
verdict()

"""
title: tf.scatter_nd and tf.tensor_scatter_nd_update kill the process when updates has too few axes; an error is
    right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: updates has fewer axes than indices without its last; also tensor_scatter_nd_add, _sub, _min and _max.
rule: tf.scatter_nd: updates must have the shape indices.shape[:-1] + shape[indices.shape[-1]:]; an
    InvalidArgumentError, as for other shapes that do not fit.
documented: docs/methods/equiv.md, What was measured
tracker: https://github.com/tensorflow/tensorflow/issues/93680 (fixed by
    https://github.com/tensorflow/tensorflow/pull/123379, which 2.21.0 does not have),
    https://github.com/tensorflow/tensorflow/issues/65666, https://github.com/tensorflow/tensorflow/issues/65667,
    https://github.com/tensorflow/tensorflow/issues/125504
"""
import numpy as np

from library import Died, Refused, right, verdict, with_tf, wrong


def ones(*shape):
    return np.ones(shape, np.float32)


places = np.array([[[0]], [[2]]], np.int32)
wrong("scatter_nd", with_tf(lambda tf: tf.scatter_nd(places, ones(2), [3]).numpy()), Refused(), seen=Died("SIGABRT"))
for name in ("update", "add"):
    wrong("tensor_scatter_nd_" + name, with_tf(lambda tf: getattr(tf, "tensor_scatter_nd_" + name)(
        ones(3), places, ones(2)).numpy()), Refused(), seen=Died("SIGABRT"))
right("scatter_nd, two axes", with_tf(lambda tf: tf.scatter_nd(places, ones(2, 1), [3]).numpy()), [1, 0, 1])
verdict()

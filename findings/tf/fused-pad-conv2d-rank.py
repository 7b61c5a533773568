"""
title: FusedPadConv2D kills the process on an input of too few axes; an error is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: input has two axes; with and without oneDNN.  A filter of two axes is refused.
rule: tf.raw_ops: an InvalidArgumentError.  TensorFlow's SECURITY.md: to end uncleanly is incorrect behaviour, though a
    failed CHECK alone is no vulnerability any more.
documented: docs/methods/equiv.md, What was measured
tracker: https://github.com/tensorflow/tensorflow/issues/125505 (open,
    https://github.com/tensorflow/tensorflow/pull/126867 is to fix it),
    https://github.com/tensorflow/tensorflow/issues/63376, https://github.com/tensorflow/tensorflow/issues/67527
"""
import numpy as np

from library import Died, Refused, right, verdict, with_tf, wrong


def ones(*shape):
    return np.ones(shape, np.float32)


def padded(x, weights=ones(1, 1, 1, 1)):
    return with_tf(lambda tf: tf.raw_ops.FusedPadConv2D(
        input=x, paddings=np.zeros((4, 2), np.int32), filter=weights, mode="REFLECT", strides=[1] * 4,
        padding="SAME").numpy())


wrong("an input of two axes", padded(ones(1, 1)), Refused(), seen=Died("SIGABRT"))
right("a filter of two axes", padded(ones(1, 1, 1, 1), ones(1, 1)), Refused("InvalidArgumentError"))
right("four axes", padded(3 * ones(1, 1, 1, 1)), [3])
verdict()

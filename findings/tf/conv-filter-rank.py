"""
title: Conv kills the process when the filter has one axis less than the input; an error is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: input of five axes, filter of four; with and without oneDNN.  A filter of two axes with an input of four is
    refused.
rule: tf.raw_ops: an InvalidArgumentError.  TensorFlow's SECURITY.md: to end uncleanly is incorrect behaviour, though a
    failed CHECK alone is no vulnerability any more.
documented: docs/methods/equiv.md, What was measured
tracker: none found; https://github.com/tensorflow/tensorflow/issues/111453 is about Conv2D and Conv3D
"""
import numpy as np

from library import Died, Refused, right, verdict, with_tf, wrong


def ones(*shape):
    return np.ones(shape, np.float32)


def convolved(x, weights):
    return with_tf(lambda tf: tf.raw_ops.Conv(input=x, filter=weights, strides=[1] * x.ndim, padding="SAME").numpy())


wrong("five axes and four", convolved(ones(1, 1, 1, 1, 1), ones(1, 1, 1, 1)), Refused(), seen=Died("SIGABRT"))
right("four axes and two", convolved(ones(1, 1, 1, 1), ones(1, 1)), Refused("InvalidArgumentError"))
right("four axes and four", convolved(3 * ones(1, 1, 1, 1), ones(1, 1, 1, 1)), [3])
verdict()

"""
title: FakeQuantWithMinMaxVarsPerChannelGradient kills the process on inputs without axes; an error is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: gradients and inputs have no axes.  With one axis it is right.
rule: tf.raw_ops: an InvalidArgumentError.  TensorFlow's SECURITY.md: to end uncleanly is incorrect behaviour, though a
    failed CHECK alone is no vulnerability any more.
documented: docs/methods/equiv.md, What was measured
tracker: none found for the gradient; https://github.com/tensorflow/tensorflow/issues/63355 is about
    FakeQuantWithMinMaxVarsPerChannel
"""
import numpy as np

from library import Died, Refused, right, verdict, with_tf, wrong


def ones(*shape):
    return np.ones(shape, np.float32)


def gradient(*shape):
    return with_tf(lambda tf: tf.raw_ops.FakeQuantWithMinMaxVarsPerChannelGradient(
        gradients=2 * ones(*shape), inputs=0.5 * ones(*shape), min=-ones(1), max=ones(1))[0].numpy())


wrong("no axes", gradient(), Refused(), seen=Died("SIGABRT"))
right("one axis", gradient(1), [2])  # inside of the range the gradient passes
verdict()

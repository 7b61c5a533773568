"""
title: Depthwise convolutions and their gradients kill the process on ranks that do not fit; an error is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: With oneDNN (the default): an input of too few axes (DepthwiseConv2dNative,
    DepthwiseConv2dNativeBackpropFilter), input_sizes without elements (DepthwiseConv2dNativeBackpropInput).  Without
    oneDNN they are refused.
rule: tf.raw_ops: an InvalidArgumentError.  TensorFlow's SECURITY.md: to end uncleanly is incorrect behaviour, though a
    failed CHECK alone is no vulnerability any more.
documented: docs/methods/equiv.md, What was measured
tracker: https://github.com/tensorflow/tensorflow/issues/112536 (open,
    https://github.com/tensorflow/tensorflow/pull/112974 is to fix it);
    https://github.com/tensorflow/tensorflow/issues/104881 (DepthwiseConv2dNativeBackpropInput)
"""
import numpy as np

from library import Died, Refused, right, verdict, with_tf, wrong


def ones(*shape):
    return np.ones(shape, np.float32)


calls = {
    "DepthwiseConv2dNative": dict(input=ones(1, 1), filter=ones(1, 1, 1, 1)),
    "DepthwiseConv2dNativeBackpropFilter": dict(input=ones(1), filter_sizes=[1, 1, 1, 1],
                                                out_backprop=ones(1, 1, 1, 1)),
    "DepthwiseConv2dNativeBackpropInput": dict(input_sizes=np.zeros(0, np.int32), filter=ones(1, 1, 1, 1),
                                               out_backprop=ones(1, 1, 1, 1)),
}


def call(name, onednn=True, **others):
    arguments = dict(calls[name], strides=[1] * 4, padding="SAME", **others)
    return with_tf(lambda tf: getattr(tf.raw_ops, name)(**arguments).numpy(), onednn)


for name in calls:
    wrong(name, call(name), Refused(), seen=Died("SIGABRT"))
right("DepthwiseConv2dNative, without oneDNN", call("DepthwiseConv2dNative", False), Refused("InvalidArgumentError"))
verdict()

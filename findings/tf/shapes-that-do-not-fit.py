"""
title: Convolutions, their gradients and those of average pools kill the process on shapes that do not fit; an error
    is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: With oneDNN (the default): an input of too few axes (Conv2D, Conv3D, Conv2DBackpropFilter,
    Conv3DBackpropFilterV2), negative input_sizes (Conv2DBackpropInput, Conv3DBackpropInputV2), a grad without axes
    (AvgPoolGrad, AvgPool3DGrad).  Without oneDNN they are refused.
rule: tf.raw_ops: an InvalidArgumentError, as without oneDNN.
documented: docs/methods/equiv.md, What was measured
tracker: https://github.com/tensorflow/tensorflow/issues/111453 (Conv2D, Conv3D; fixed by
    https://github.com/tensorflow/tensorflow/pull/112650), https://github.com/tensorflow/tensorflow/issues/60195
    (Conv3DBackpropFilterV2), https://github.com/tensorflow/tensorflow/issues/110797 (average pools; fixed by
    https://github.com/tensorflow/tensorflow/pull/112655); none found for Conv2DBackpropFilter and for negative
    input_sizes, of which https://github.com/tensorflow/tensorflow/issues/57715 (closed) is about conv2d_transpose in
    2022
"""
import numpy as np

from library import Died, Refused, right, verdict, with_tf, wrong


def ones(*shape):
    return np.ones(shape, np.float32)


calls = {
    "Conv2D": dict(input=ones(2), filter=ones(1, 1, 2, 2), strides=[1] * 4, padding="SAME"),
    "Conv3D": dict(input=ones(1, 1), filter=ones(1, 1, 1, 1, 3), strides=[1] * 5, padding="SAME"),
    "Conv2DBackpropInput": dict(input_sizes=[-5, -3, 3, 6], filter=ones(1, 1, 1, 1), out_backprop=ones(1, 1, 1, 1),
                                strides=[1] * 4, padding="SAME"),
    "Conv2DBackpropFilter": dict(input=ones(3), filter_sizes=[1, 1, 1, 1], out_backprop=ones(2, 3, 1, 1),
                                 strides=[1] * 4,
                                 padding="VALID"),
    "Conv3DBackpropInputV2": dict(input_sizes=[6, -1, -1, 0, 6], filter=ones(1, 1, 1, 1, 1),
                                  out_backprop=ones(1, 1, 1, 1, 1),
                                  strides=[1] * 5, padding="VALID"),
    "Conv3DBackpropFilterV2": dict(input=ones(2, 1), filter_sizes=[2, 1, 1, 2, 2], out_backprop=ones(2, 2, 2, 2, 2),
                                   strides=[1, 2, 1, 1, 1], padding="SAME"),
    "AvgPoolGrad": dict(orig_input_shape=[1, 2, 3, 1], grad=ones(), ksize=[1] * 4, strides=[1] * 4, padding="SAME"),
    "AvgPool3DGrad": dict(orig_input_shape=[3, 1, 3, 3, 1], grad=ones(), ksize=[1] * 5, strides=[1] * 5,
                          padding="VALID"),
}


def call(name, onednn):
    return with_tf(lambda tf: getattr(tf.raw_ops, name)(**calls[name]).numpy(), onednn)


for name in calls:
    wrong(name, call(name, True), Refused(), seen=Died("SIGABRT"))
for name in ("Conv2D", "AvgPoolGrad"):
    right(name + ", without oneDNN", call(name, False), Refused("InvalidArgumentError"))
right("Conv2D of shapes that fit", with_tf(lambda tf: tf.raw_ops.Conv2D(
    input=ones(1, 1, 1, 2), filter=ones(1, 1, 2, 1), strides=[1] * 4, padding="SAME").numpy()), [2])
verdict()

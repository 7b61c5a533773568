"""
title: Convolutions with padding give NaN where an infinite weight meets the padding, as 0 times infinity is; with
    oneDNN
    DepthwiseConv2dNative leaves the padding out.
library: tensorflow-cpu
shows: 2.21.0
class: limit
condition: padding SAME and an infinite weight at the filter's edge: Conv3D, and DepthwiseConv2dNative without oneDNN.
rule: tf.nn.depthwise_conv2d: the padding is zeros; whether they are multiplied is not said.
documented: docs/methods/equiv.md, What was measured
tracker: none found
"""
import numpy as np

from library import right, verdict, with_tf, wrong

INF, NAN = float("inf"), float("nan")
weights = np.array([INF, 1, 1], np.float32)
ones = np.ones(3, np.float32)


def depthwise(w, onednn):
    return with_tf(lambda tf: tf.raw_ops.DepthwiseConv2dNative(
        input=ones.reshape(1, 1, 3, 1), filter=w.reshape(1, 3, 1, 1), strides=[1] * 4, padding="SAME").numpy(), onednn)


def conv3d(w, onednn):
    return with_tf(lambda tf: tf.raw_ops.Conv3D(
        input=ones.reshape(1, 1, 1, 3, 1), filter=w.reshape(1, 1, 3, 1, 1), strides=[1] * 5, padding="SAME").numpy(),
                   onednn)


wrong("DepthwiseConv2dNative, without oneDNN", depthwise(weights, False), [2, INF, INF], seen=[NAN, INF, INF])
wrong("Conv3D, with oneDNN", conv3d(weights, True), [2, INF, INF], seen=[NAN, INF, INF])
wrong("Conv3D, without oneDNN", conv3d(weights, False), [2, INF, INF], seen=[NAN, INF, INF])
right("DepthwiseConv2dNative, with oneDNN", depthwise(weights, True), [2, INF, INF])
right("DepthwiseConv2dNative, without oneDNN, finite", depthwise(ones, False), [2, 3, 2])
verdict()

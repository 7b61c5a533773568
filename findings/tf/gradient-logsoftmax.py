"""
title: TF_AddGradients gives wrong gradients of LogSoftmax for tensors of three axes.
library: tensorflow-cpu
shows: 2.12.0, 2.21.0
class: bug
condition: The C interface's TF_AddGradients, three axes.  Two axes, and the Python package's gradients, are right.
rule: The derivative: g - softmax(x) * (sum of g along the last axis).
documented: data/quirks.tsv, LogSoftmax
tracker: none found
"""
import numpy as np

from library import c_gradient, right, verdict, wrong

x = np.array([0, 1, 3, 2, 0, 1], np.float32)
g = np.array([1, 2, 3, 4, 5, 6], np.float32)
share = np.exp(x.reshape(2, 3)) / np.exp(x.reshape(2, 3)).sum(-1, keepdims=True)
want = (g.reshape(2, 3) - share * g.reshape(2, 3).sum(-1, keepdims=True)).ravel().tolist()


def gradient(shape):
    return c_gradient(lambda tf, v: tf.raw_ops.LogSoftmax(logits=v) * g.reshape(shape), [x.reshape(shape)])


wrong("[1, 2, 3]", gradient([1, 2, 3]), want)
right("[2, 3]", gradient([2, 3]), want)
verdict()

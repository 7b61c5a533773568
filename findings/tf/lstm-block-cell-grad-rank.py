"""
title: LSTMBlockCellGrad kills the process on an x of one axis; an error is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: x has one axis; with and without oneDNN.  With two axes it gives gradients.
rule: tf.raw_ops: an InvalidArgumentError.  TensorFlow's SECURITY.md: to end uncleanly is incorrect behaviour, though a
    failed CHECK alone is no vulnerability any more.
documented: docs/methods/equiv.md, What was measured
tracker: https://github.com/tensorflow/tensorflow/issues/112746 (open,
    https://github.com/tensorflow/tensorflow/pull/126028 is to fix it),
    https://github.com/tensorflow/tensorflow/pull/124034, https://github.com/tensorflow/tensorflow/issues/66763
    (closed)
"""
import numpy as np

from library import Died, Refused, right, verdict, with_tf, wrong


def ones(*shape):
    return np.ones(shape, np.float32)


def gradients(x):
    """Of a cell of one unit, everything 1: cs_prev_grad comes first."""
    matrices = {name: ones(1, 1) for name in "cs_prev h_prev i cs f o ci co cs_grad h_grad".split()}
    vectors = {name: ones(1) for name in "wci wcf wco".split()}
    return with_tf(lambda tf: tf.raw_ops.LSTMBlockCellGrad(
        x=x, w=ones(2, 4), b=ones(4), use_peephole=False, **matrices, **vectors)[0].numpy())


wrong("x of one axis", gradients(ones(1)), Refused(), seen=Died("SIGABRT"))
right("x of two axes", gradients(ones(1, 1)), [1])  # dcs · f, with co = 1: (1 - co²) · o · h_grad + cs_grad = 1
verdict()

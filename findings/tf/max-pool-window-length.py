"""
title: MaxPool and QuantizedMaxPool kill the process when ksize has five numbers; an error is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: ksize has five numbers, strides and the input have four axes.  With four numbers it is right.
rule: tf.raw_ops: an InvalidArgumentError.  TensorFlow's SECURITY.md: to end uncleanly is incorrect behaviour, though a
    failed CHECK alone is no vulnerability any more.
documented: docs/methods/equiv.md, What was measured
tracker: none found; https://github.com/tensorflow/tensorflow/issues/124953 is about ksize of fewer than four numbers
"""
import numpy as np

from library import Died, Refused, right, verdict, with_tf, wrong


def ones(*shape):
    return np.ones(shape, np.float32)


def pooled(n):
    return with_tf(lambda tf: tf.raw_ops.MaxPool(
        input=3 * ones(1, 1, 1, 1), ksize=[1] * n, strides=[1] * 4, padding="SAME").numpy())


def quantized(tf):
    x = tf.quantization.quantize(ones(1, 1, 1, 1), 0.0, 1.0, tf.quint8).output
    return tf.raw_ops.QuantizedMaxPool(input=x, min_input=0.0, max_input=1.0, ksize=[1] * 5, strides=[1] * 4,
                                       padding="SAME")[1].numpy()


wrong("MaxPool, five numbers", pooled(5), Refused(), seen=Died("SIGABRT"))
wrong("QuantizedMaxPool, five numbers", with_tf(quantized), Refused(), seen=Died("SIGABRT"))
right("MaxPool, four numbers", pooled(4), [3])
verdict()

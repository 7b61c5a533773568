"""
title: RequantizePerChannel kills the process when requested_output_max is no scalar; an error is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: requested_output_max has four elements.  A requested_output_min of two is refused.
rule: tf.raw_ops: an InvalidArgumentError.  TensorFlow's SECURITY.md: to end uncleanly is incorrect behaviour, though a
    failed CHECK alone is no vulnerability any more.
documented: docs/methods/equiv.md, What was measured
tracker: none found
"""
import numpy as np

from library import Died, Refused, right, verdict, with_tf, wrong


def ones(*shape):
    return np.ones(shape, np.float32)


def requantized(low, high):
    def inner(tf):
        x = tf.bitcast(tf.ones([1, 1, 1, 1], tf.int32), tf.qint32)
        return tf.raw_ops.RequantizePerChannel(input=x, input_min=ones(1), input_max=ones(1), requested_output_min=low,
                                               requested_output_max=high)[2].numpy()
    return with_tf(inner)


wrong("a maximum of four elements", requantized(ones(), ones(2, 2)), Refused(), seen=Died("SIGABRT"))
right("a minimum of two elements", requantized(ones(2), ones()), Refused("InvalidArgumentError"))
verdict()

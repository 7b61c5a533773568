"""
title: LSTMBlockCell, NearestNeighbors, QuantizeAndDequantizeV3 and FakeQuantWithMinMaxVarsPerChannel kill the process
    on
    inputs that they do not check; an error is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: LSTMBlockCell: x of one axis.  NearestNeighbors: k below 0.  QuantizeAndDequantizeV3: input_min and
    input_max for
    each channel with axis -1, or without elements.  FakeQuantWithMinMaxVarsPerChannel: inputs without axes.
rule: tf.raw_ops: an InvalidArgumentError.
documented: docs/methods/equiv.md, What was measured
tracker: https://github.com/tensorflow/tensorflow/pull/124034 (LSTMBlockCell),
    https://github.com/tensorflow/tensorflow/issues/102492 (NearestNeighbors),
    https://github.com/tensorflow/tensorflow/issues/99456 (QuantizeAndDequantizeV3),
    https://github.com/tensorflow/tensorflow/issues/63355 (FakeQuantWithMinMaxVarsPerChannel)
"""
import numpy as np

from library import Died, Refused, right, verdict, with_tf, wrong


def ones(*shape):
    return np.ones(shape, np.float32)


def call(name, **arguments):
    def inner(tf):
        result = getattr(tf.raw_ops, name)(**arguments)
        return (result[0] if isinstance(result, tuple) else result).numpy()
    return with_tf(inner)


def lstm(x):
    return call("LSTMBlockCell", x=x, cs_prev=ones(1, 1), h_prev=ones(1, 1), w=ones(2, 4), wci=ones(1), wcf=ones(1),
                wco=ones(1),
                b=ones(4))


def quantized(bound, axis=-1):
    return call("QuantizeAndDequantizeV3", input=ones(2, 2), input_min=-bound, input_max=bound, num_bits=8, axis=axis)


def fake(x):
    return call("FakeQuantWithMinMaxVarsPerChannel", inputs=x, min=-ones(1), max=ones(1))


def nearest(k):
    return call("NearestNeighbors", points=ones(3, 2), centers=ones(3, 2), k=np.int64(k))


dies = Died("SIGABRT")
wrong("LSTMBlockCell, x of one axis", lstm(ones(4)), Refused(), seen=dies)
wrong("NearestNeighbors, k = -3", nearest(-3), Refused(), seen=dies)
wrong("QuantizeAndDequantizeV3, two bounds, axis -1", quantized(ones(2)), Refused(), seen=dies)
wrong("QuantizeAndDequantizeV3, no bounds", quantized(ones(0)), Refused(), seen=dies)
wrong("FakeQuantWithMinMaxVarsPerChannel, no axes", fake(ones()), Refused(), seen=dies)
right("LSTMBlockCell, x of two axes", lstm(ones(1, 1)), [1 / (1 + np.exp(-3.0))])  # the input gate: 1 + 1 + 1
right("NearestNeighbors, k = 1", nearest(1), [0, 0, 0])
right("QuantizeAndDequantizeV3, two bounds, axis 0", quantized(ones(2), 0), [1, 1, 1, 1])
right("FakeQuantWithMinMaxVarsPerChannel, one axis", fake(ones(1)), [1.0039216])  # 128 steps of 2 / 255
verdict()

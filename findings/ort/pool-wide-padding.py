"""
title: Pools whose padding is as wide as their window are refused; ONNX sets no such bound.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: difference
condition: A padding of at least the window's size.
rule: ONNX AveragePool-11, attribute pads: "greater than or equal to 0".
documented: docs/methods/search.md, What it found
tracker: https://github.com/microsoft/onnxruntime/issues/801 (closed)
"""
from library import Refused, model, right, run, verdict, wrong


def pool(op, window, pad):
    m = model("(float[1,1,4] x) => (float[1,1,%d] y) { y = %s<kernel_shape = [%d], pads = [%d, %d]>(x) }"
              % (4 + 2 * pad - window + 1, op, window, pad, pad))
    return lambda: run(m, [1, 2, 3, 4])


# The averages of windows that see padding alone are left open: 0 / 0 or 0.  Here they are only to be computed.
wrong("AveragePool, a padding of 2, a window of 2, counted", lambda: run(model(
    """(float[1,1,4] x) => (float[1,1,7] y)
    { y = AveragePool<kernel_shape = [2], pads = [2, 2], count_include_pad = 1>(x) }"""), [1, 2, 3, 4]),
    [0, 0.5, 1.5, 2.5, 3.5, 2, 0], seen=Refused("pool_attributes"))
right("AveragePool, a padding of 1, a window of 2", pool("AveragePool", 2, 1), [1, 1.5, 2.5, 3.5, 4])
right("MaxPool, a padding of 2, a window of 3", pool("MaxPool", 3, 2), [1, 2, 3, 4, 4, 4])
verdict()

"""
title: Conv with auto_pad SAME_UPPER pads at the beginning, with SAME_LOWER at the end; the other way round is right.
library: cntk
shows: 2.7
class: bug
condition: An odd number of places to pad (a window of 2).  A window of 3 is right.
rule: ONNX Conv-1, attribute auto_pad: the extra padding is at the end for SAME_UPPER, at the beginning for SAME_LOWER.
documented: docs/methods/fuzz.md, Found
tracker: none found; https://github.com/microsoft/CNTK/issues/909 is about uneven pads with cuDNN
"""
import numpy as np

from library import node, right, verdict, wrong


def conv(pad, n):
    w = 10 ** np.arange(n, dtype=np.float32).reshape(1, 1, 1, n)
    return node("Conv", np.array([1, 2, 3]).reshape(1, 1, 1, 3), [1, 1, 1, 3], w, auto_pad=pad, kernel_shape=[1, n])


end, beginning = [21, 32, 3], [10, 21, 32]
wrong("SAME_UPPER", conv("SAME_UPPER", 2), end, seen=beginning)
wrong("SAME_LOWER", conv("SAME_LOWER", 2), beginning, seen=end)
right("a window of 3", conv("SAME_UPPER", 3), [210, 321, 32])
verdict()

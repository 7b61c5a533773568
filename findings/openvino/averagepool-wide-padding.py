"""
title: AveragePool that does not count its padding is refused where that is as wide as the window; ONNX sets no such
    bound.
library: openvino
shows: 2024.6.0, 2026.4.1
class: difference
condition: count_include_pad = 0, a padding of at least the window's size.  With count_include_pad = 1 it is right.
rule: ONNX AveragePool-11, attribute pads: "greater than or equal to 0".
documented: docs/methods/search.md, What it found
tracker: none found; https://github.com/openvinotoolkit/openvino/issues/35637 is about MaxPool, which takes it
"""
from library import Refused, model, right, run, verdict, wrong


def pool(window, pads, include, size):
    m = model("""(float[1,1,4] x) => (float[1,1,%d] y)
        { y = AveragePool<kernel_shape = [%d], pads = %s, count_include_pad = %d>(x) }""" % (size, window, pads,
                                                                                             include))
    return lambda: run(m, [1, 2, 3, 4])


# The window that sees the padding alone is left open (0 / 0); of the result only that it comes is asked.
wrong("a padding of 2, a window of 2", lambda: pool(2, [2, 0], 0, 5)()[0][0, 0, 1:], [1, 1.5, 2.5, 3.5],
      seen=Refused("AveragePool"))
right("a padding of 2, a window of 2, counted", pool(2, [2, 0], 1, 5), [0, 0.5, 1.5, 2.5, 3.5])
right("a padding of 1, a window of 2", pool(2, [1, 0], 0, 4), [1, 1.5, 2.5, 3.5])
verdict()

"""
title: AveragePool with ceil_mode and count_include_pad counts what lies behind the padding: 4 / 3 comes out, 4 / 2 is
    right.
library: openvino
shows: 2024.6.0, 2026.4.1
class: difference
condition: ceil_mode = 1, count_include_pad = 1, and the last window ends behind the padding.
rule: ONNX AveragePool-19, attribute count_include_pad: it speaks of the padding alone.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/openvinotoolkit/openvino/pull/36714 is about a window that begins in the padding
"""
from library import model, right, run, verdict, wrong


def pool(include, size):
    m = model("""(float[1,1,%d] x) => (float[1,1,3] y)
        { y = AveragePool<kernel_shape = [3], strides = [2], pads = [1, 1],
        ceil_mode = 1, count_include_pad = %d>(x) }""" % (size, include), opset=19)
    return lambda: run(m, [1, 2, 3, 4, 5][:size])


# windows 0 1 2 | 2 3 4 | 4 0 and nothing
wrong("4 elements, counted", pool(1, 4), [1, 3, 2], seen=[1, 3, 4 / 3])
right("4 elements, not counted", pool(0, 4), [1.5, 3, 4])
right("5 elements, counted: the last window ends with the padding", pool(1, 5), [1, 3, 3])
verdict()

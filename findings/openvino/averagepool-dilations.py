"""
title: AveragePool ignores dilations: 3 x 3 elements come out, 2 x 2 are right.
library: openvino
shows: 2024.6.0, 2025.2.0
until: 2025.2.0 (2025.3.0 is right)
class: bug
condition: dilations above 1.
rule: ONNX AveragePool-19, attribute dilations.
documented: data/quirks.tsv, AveragePool
tracker: https://github.com/openvinotoolkit/openvino/pull/30842 (merged; adds them)
"""
from library import array, model, right, run, verdict, wrong


def pool(dilation, size):
    m = model("""(float[1,1,4,4] x) => (float[1,1,%d,%d] y)
        { y = AveragePool<kernel_shape = [2, 2], dilations = [%d, %d]>(x) }""" % (size, size, dilation, dilation),
              opset=19)
    return lambda: run(m, range(16))


plain = array([1, 1, 3, 3], [2.5, 3.5, 4.5, 6.5, 7.5, 8.5, 10.5, 11.5, 12.5])
# the mean of elements 0, 2, 8 and 10 is 5
wrong("dilations 2", pool(2, 2), array([1, 1, 2, 2], [5, 6, 9, 10]), seen=plain)
right("dilations 1", pool(1, 3), plain)
verdict()

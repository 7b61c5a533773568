"""
title: DFT of opset 20 ignores its input axis.
library: OpenCV
shows: 5.0.0
class: bug
condition: The axis is told, and is not 1.
rule: ONNX DFT-20, input axis.
documented: data/quirks.tsv, DFT
tracker: none found
"""
from library import call, right, verdict, wrong

def dft(axis):
    return call("""(float[1,2,2,1] x) => (float[1,2,2,2] y)
        <int64 axis = {%d}> { y = DFT(x, , axis) }""" % axis, [1, 2, 4, 8], opset=20)


wrong("axis 2", dft(2), [3, 0, -1, 0, 12, 0, -4, 0], seen=[5, 0, 10, 0, -3, 0, -6, 0])
right("axis 1", dft(1), [5, 0, 10, 0, -3, 0, -6, 0])
verdict()

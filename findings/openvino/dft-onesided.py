"""
title: DFT of real numbers, one-sided, keeps the axis of 1: the shape is [1, 3, 1, 2], [1, 3, 2] is right.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: onesided = 1.  With onesided = 0 it is right.
rule: ONNX DFT-17, output: the last axis holds the real and the imaginary part.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import array, model, right, run, verdict, wrong


def dft(onesided, size):
    m = model("(float[1,4,1] x) => (float[1,%d,2] y) { y = DFT<axis = 1, onesided = %d>(x) }" % (size, onesided),
              opset=17)
    return lambda: run(m, [1, 2, 3, 4])


spectrum = [10, 0, -2, 2, -2, 0, -2, -2]  # sum of x_j (-i)^(jk)
wrong("one-sided", dft(1, 3), array([1, 3, 2], spectrum[:6]), seen=array([1, 3, 1, 2], spectrum[:6]))
right("two-sided", dft(0, 4), array([1, 4, 2], spectrum))
verdict()

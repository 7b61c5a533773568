"""
title: DFT with a dft_length other than the size of the axis is refused; the signal must be padded or cut.
library: tract
shows: 0.23.9
class: bug
condition: dft_length is not the size of the axis.
rule: ONNX DFT-17, input dft_length: zero-padded or cut to that length.
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/sonos/tract/issues/1902
"""
from library import Refused, model, right, run, verdict, wrong


def dft(length):
    m = model("(float[1,4,1] x) => (float[1,%d,2] y) <int64 n = {%d}> { y = DFT<axis = 1>(x, n) }" % (length, length),
              opset=17)
    return lambda: run(m, [1, 2, 3, 4])


wrong("2 of 4", dft(2), [3, 0, -1, 0], seen=Refused("Output mismatch"))
right("4 of 4", dft(4), [10, 0, -2, 2, -2, 0, -2, -2], abs=1e-5)
verdict()

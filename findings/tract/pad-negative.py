"""
title: Pad with a negative padding aborts the process; elements are to be cut off.
library: tract
shows: 0.23.9
class: bug
condition: The mode is constant and a padding is negative, with and without axes.
rule: ONNX Pad-18, input pads: elements to add, or to remove where it is negative.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import Died, model, right, run, verdict, wrong


def pad(end, axes):
    m = model("(float[3] x) => (float[n] y) <int64[2] pads = {0, %d}, int64[1] axes = {0}> { y = Pad(x, pads%s) }"
              % (end, ", , axes" if axes else ""), opset=18)
    return lambda: run(m, [1, 2, 3])


wrong("one element less", pad(-1, False), [1, 2], seen=Died("SIGABRT"))
wrong("one element less, of axis 0", pad(-1, True), [1, 2], seen=Died("SIGABRT"))
right("one element more, of axis 0", pad(1, True), [1, 2, 3, 0])
verdict()

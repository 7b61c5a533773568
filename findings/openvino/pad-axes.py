"""
title: Pad with axes is refused; it is a valid model.
library: openvino
shows: 2024.6.0, 2025.4.1
until: 2025.4.1 (2026.0.0 is right)
class: bug
condition: axes is given and does not name every axis.
rule: ONNX Pad-18, input axes.
documented: data/quirks.tsv, Pad
tracker: https://github.com/openvinotoolkit/openvino/pull/33632 (merged; the fix)
"""
from library import Refused, model, right, run, verdict, wrong


def pad(pads, inputs):
    m = model("""(float[2,2] x) => (float[2,4] y) <int64[%d] p = {%s}, float nine = {9}, int64[1] axes = {1}>
        { y = Pad(x, p, %s) }""" % (len(pads), ", ".join(map(str, pads)), inputs), opset=18)
    return lambda: run(m, [1, 2, 3, 4])


wrong("axes [1]", pad([1, 1], "nine, axes"), [9, 1, 2, 9, 9, 3, 4, 9], seen=Refused("Pad"))
right("no axes", pad([0, 1, 0, 1], "nine"), [9, 1, 2, 9, 9, 3, 4, 9])
verdict()

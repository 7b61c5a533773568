"""
title: ReduceMax of numbers that are all minus infinity returns -3.4e38, and ReduceMin of infinities 3.4e38.
library: openvino
shows: 2026.4.1
class: bug
condition: All numbers that are reduced are that infinity; one other number, and the result is right.
rule: ONNX ReduceMax-18: the max of the input tensor's elements along the axes.
documented: data/quirks.tsv, ReduceMax
tracker: none found; https://github.com/openvinotoolkit/openvino/pull/5494 (merged) is where the initial value
    came from, https://github.com/openvinotoolkit/openvino/issues/37968 is about float64
"""
from library import model, right, run, verdict, wrong

INF, LARGEST = float("inf"), 2.0 ** 128 - 2.0 ** 104


def reduced(op, values):
    m = model("(float[2] x) => (float[1] y) <int64[1] axes = {0}> { y = %s(x, axes) }" % op, opset=18)
    return lambda: run(m, values)


wrong("ReduceMax of -inf alone", reduced("ReduceMax", [-INF, -INF]), [-INF], seen=[-LARGEST])
wrong("ReduceMin of inf alone", reduced("ReduceMin", [INF, INF]), [INF], seen=[LARGEST])
right("ReduceMax with another number", reduced("ReduceMax", [-INF, 3]), [3])
verdict()

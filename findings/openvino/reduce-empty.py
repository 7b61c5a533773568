"""
title: ReduceMax of no elements returns -3.4e38 and ReduceMin 3.4e38; minus and plus infinity are right.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: The reduced axis has size 0.
rule: ONNX ReduceMax-18: of an empty set "minus infinity (if supported by the datatype)".
documented: data/quirks.tsv, ReduceMax
tracker: none found; https://github.com/openvinotoolkit/openvino/pull/20736 documents it as undefined for OpenVINO's
    operator
"""
import numpy as np

from library import model, right, run, verdict, wrong


def reduced(op, rows):
    m = model("(float[%d,2] x) => (float[1,2] y) <int64[1] axes = {0}> { y = %s(x, axes) }" % (rows, op), opset=18)
    return lambda: run(m, np.arange(rows * 2))


INF = float("inf")
wrong("ReduceMax of 0 rows", reduced("ReduceMax", 0), [-INF, -INF], seen=[-3.4028235e38] * 2)
wrong("ReduceMin of 0 rows", reduced("ReduceMin", 0), [INF, INF], seen=[3.4028235e38] * 2)
right("ReduceMax of 1 row", reduced("ReduceMax", 1), [0, 1])
verdict()

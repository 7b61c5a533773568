"""
title: OneHot with a negative index returns a row of zeros; it must count from the end.
library: openvino
shows: 2024.6.0, 2025.3.0
until: 2025.3.0 (2025.4.1 is right)
class: bug
condition: A negative index.
rule: ONNX OneHot-11, input indices: "[-depth, depth-1]".
documented: data/quirks.tsv, OneHot
tracker: https://github.com/openvinotoolkit/openvino/pull/31901 (merged; the fix)
"""
from library import model, right, run, verdict, wrong


def row(index):
    m = model("(int64[1] i) => (float[1,3] y) <int64 depth = {3}, float[2] v = {0, 1}> { y = OneHot(i, depth, v) }")
    return lambda: run(m, [index])


wrong("-1", row(-1), [0, 0, 1], seen=[0, 0, 0])
right("2", row(2), [0, 0, 1])
verdict()

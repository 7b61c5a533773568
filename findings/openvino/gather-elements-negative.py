"""
title: GatherElements with a negative index returns 0; it must count from the end.
library: openvino
shows: 2024.6.0, 2025.2.0
until: 2025.2.0 (2025.3.0 is right)
class: bug
condition: A negative index.
rule: ONNX GatherElements-13, input indices: "-s to s-1".
documented: data/quirks.tsv, GatherElements
tracker: https://github.com/openvinotoolkit/openvino/pull/30800 (merged; the fix)
"""
from library import model, right, run, verdict, wrong


def gather(index):
    m = model("(float[3] x, int64[1] i) => (float[1] y) { y = GatherElements(x, i) }")
    return lambda: run(m, [1, 2, 3], [index])


wrong("-1", gather(-1), [3], seen=[0])
right("2", gather(2), [3])
verdict()

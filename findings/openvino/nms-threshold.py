"""
title: NonMaxSuppression removes a box whose overlap is exactly the threshold; only one above it goes.
library: openvino
shows: 2026.4.1
class: bug
condition: The overlap is iou_threshold.
rule: ONNX NonMaxSuppression-11: boxes are suppressed if their overlap is strictly greater than iou_threshold.
documented: data/quirks.tsv, NonMaxSuppression
tracker: none found; https://github.com/onnx/onnx/issues/7615 (closed) asked ONNX, whose text says so since
"""
from library import model, right, run, verdict, wrong


def kept(threshold):
    m = model("(float[1, 2, 4] b, float[1, 1, 2] s) => (int64[n, 3] i) <int64 most = {3}, float most_overlap = {%s}> "
              "{ i = NonMaxSuppression(b, s, most, most_overlap) }" % threshold)
    return lambda: run(m, [[[0, 0, 1, 1], [0, 0, 1, 0.5]]], [[[0.9, 0.8]]])


wrong("half of it, 0.5", kept("0.5"), [[0, 0, 0], [0, 0, 1]], seen=[[0, 0, 0]])
right("half of it, 0.51", kept("0.51"), [[0, 0, 0], [0, 0, 1]])
verdict()

"""
title: IsInf ignores detect_negative and detect_positive: both infinities are always found.
library: tvm
shows: 0.27.0.post1
class: bug
condition: detect_negative = 0 or detect_positive = 0.
rule: ONNX IsInf-10, attributes detect_negative and detect_positive.
documented: data/quirks.tsv, IsInf
tracker: none found
"""
from library import call, right, verdict, wrong

INF = float("inf")


def isinf(negative, positive, *x):
    return call("(float[3] x) => (bool[3] y) { y = IsInf<detect_negative = %d, detect_positive = %d>(x) }"
                % (negative, positive), x, opset=20)


wrong("negative ones only", isinf(1, 0, INF, -INF, 1), [False, True, False], seen=[True, True, False])
wrong("positive ones only", isinf(0, 1, INF, -INF, 1), [True, False, False], seen=[True, True, False])
right("both", isinf(1, 1, INF, -INF, 1), [True, True, False])
verdict()

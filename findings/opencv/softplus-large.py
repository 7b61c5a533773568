"""
title: Softplus of 89 and more, and ReduceLogSumExp of such numbers, are infinite.
library: OpenCV
shows: 5.0.0
class: bug
condition: exp(x) is beyond float32, the result is not.
rule: ONNX Softplus: ln(exp(x) + 1), which is x for large x; ReduceLogSumExp: ln of the sum of exp.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import call, right, verdict, wrong

SOFTPLUS = "(float[1, 8] x) => (float[1, 8] y) { y = Softplus(x) }"
SUM = "(float[1, 2] x) => (float[1, 1] y) { y = ReduceLogSumExp(x) }"
INFINITE = float("inf")

wrong("Softplus", call(SOFTPLUS, [200] * 8), [200] * 8, seen=[INFINITE] * 8)
wrong("ReduceLogSumExp", call(SUM, [200, 100], opset=13), 200, seen=INFINITE)
right("Softplus of less", call(SOFTPLUS, [80] * 8), [80] * 8)
right("ReduceLogSumExp of less", call(SUM, [80, 1], opset=13), 80)
verdict()

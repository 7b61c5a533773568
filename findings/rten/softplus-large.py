"""
title: Softplus of 89 and more is infinite.
library: rten
shows: 0.27.0
class: bug
condition: exp(x) is beyond float32.
rule: ONNX Softplus: ln(exp(x) + 1), which is x for large x.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import call, right, verdict, wrong

TEXT = "(float[2] x) => (float[2] y) { y = Softplus(x) }"

wrong("large", call(TEXT, [89, 200]), [89, 200], seen=[float("inf"), float("inf")])
right("below", call(TEXT, [80, 88]), [80, 88])
verdict()

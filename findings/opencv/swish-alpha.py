"""
title: Swish ignores alpha.
library: OpenCV
shows: 5.0.0
class: bug
condition: alpha is not 1.
rule: ONNX Swish-24: x * sigmoid(alpha * x).
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import call, right, verdict, wrong

TEXT = "(float[1, 2] x) => (float[1, 2] y) { y = Swish<alpha = %s>(x) }"

wrong("alpha 0", call(TEXT % "0.0", [2, -2], opset=24), [1, -1], seen=[1.76159416, -0.23840584])
right("alpha 1", call(TEXT % "1.0", [2, -2], opset=24), [1.76159416, -0.23840584])
verdict()

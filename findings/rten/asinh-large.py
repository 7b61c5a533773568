"""
title: Asinh and Acosh of numbers above half of the largest are infinite.
library: rten
shows: 0.27.0
class: precision
condition: twice the number is beyond float32.
rule: ONNX Asinh, Acosh: the inverse of sinh and cosh, which is ln(2x) for large x.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import call, right, verdict, wrong

TEXT = "(float[1] x) => (float[1] y) { y = %s(x) }"
INFINITE = [float("inf")]

wrong("Asinh", call(TEXT % "Asinh", [2e38], opset=9), [88.884544], seen=INFINITE)
wrong("Acosh", call(TEXT % "Acosh", [2e38], opset=9), [88.884544], seen=INFINITE)
right("Asinh of less", call(TEXT % "Asinh", [1e38], opset=9), [88.191397])
verdict()

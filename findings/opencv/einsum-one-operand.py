"""
title: Einsum of one operand without "->" kills the process.
library: OpenCV
shows: 5.0.0
class: bug
condition: an equation such as "ab", whose result is implied.
rule: ONNX Einsum: without "->" the result has the indices that appear once, in alphabetical order.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import Died, call, right, verdict, wrong

TEXT = "(float[1, 2] x) => (float[1, 2] y) { y = Einsum<equation = \"%s\">(x) }"

wrong("implied", call(TEXT % "ab", [1, 2], opset=13), [1, 2], seen=Died("SIGSEGV"))
right("said", call(TEXT % "ab->ab", [1, 2], opset=13), [1, 2])
verdict()

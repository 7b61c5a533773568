"""
title: Trilu keeps rows of a matrix with more rows than columns that it must clear.
library: OpenCV
shows: 5.0.0
class: bug
condition: more rows than columns, the upper triangle.
rule: ONNX Trilu: the upper triangle has the elements on and above the diagonal; others are 0.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import call, right, verdict, wrong

TEXT = "(float[%s] x) => (float[%s] y) { y = Trilu(x) }"

wrong("two rows, one column", call(TEXT % ("1, 1, 2, 1", "1, 1, 2, 1"), [1, 1], opset=14), [1, 0], seen=[1, 1])
right("two rows, two columns", call(TEXT % ("1, 1, 2, 2", "1, 1, 2, 2"), [1, 1, 1, 1], opset=14), [1, 1, 0, 1])
verdict()

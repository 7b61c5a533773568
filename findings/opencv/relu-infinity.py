"""
title: Relu of minus infinity is NaN; 0 is right.
library: OpenCV
shows: 5.0.0
class: bug
condition: Both engines.  The lowest number is right.
rule: ONNX Relu-14: y = max(0, x); of minus infinity that is 0.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import call, right, verdict, wrong

TEXT = "(float[1,1] x) => (float[1,1] y) { y = Relu(x) }"
NAN = [float("nan")]

wrong("the new engine", call(TEXT, [-float("inf")]), [0], seen=NAN)
wrong("the classic engine", call(TEXT, [-float("inf")], engine=1), [0], seen=NAN)
right("the lowest number", call(TEXT, [-3.4e38]), [0])
right("infinity", call(TEXT, [float("inf")]), [float("inf")])
verdict()

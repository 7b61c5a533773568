"""
title: The classic engine's Cast of floats to integers rounds instead of cutting off: 88.73 gives 89.
library: OpenCV
shows: 5.0.0
class: difference
condition: The classic engine, any integer type.  The new one cuts off.
rule: ONNX Cast-13 says nothing of the fraction; numpy, which the tests of ONNX use, and other libraries cut it off.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import call, right, verdict, wrong

TEXT = "(float[1,3] x) => (%s[1,3] y) { y = Cast<to = %d>(x) }"
X = [88.73, -1.7, 2.2]

wrong("int16", call(TEXT % ("int16", 5), X, engine=1), [88, -1, 2], seen=[89, -2, 2])
wrong("int32", call(TEXT % ("int32", 6), X, engine=1), [88, -1, 2], seen=[89, -2, 2])
right("int16, the new engine", call(TEXT % ("int16", 5), X), [88, -1, 2])
verdict()

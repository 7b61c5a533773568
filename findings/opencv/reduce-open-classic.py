"""
title: A reduction over all axes of an input whose sizes are not known kills the process (SIGSEGV).
library: OpenCV
shows: 5.0.0
class: bug
condition: The classic engine, whose developers say that it does not support such inputs: it must refuse them, as it
    does with other operators.  The new engine, and sizes that are known, are right.
rule: ONNX ReduceSum-13: without axes all are reduced.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import Died, array, call, right, verdict, wrong

TEXT = "(float[%s] x) => (float[1,1] y) { y = ReduceSum(x) }"
X = array([1, 2], [1, 2])

wrong("sizes that are not known", call(TEXT % "N, M", X, engine=1), [3], seen=Died("SIGSEGV"))
right("sizes that are known", call(TEXT % "1, 2", X, engine=1), [3])
right("the new engine", call(TEXT % "N, M", X), [3])
verdict()

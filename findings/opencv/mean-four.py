"""
title: Mean of four tensors divides some of them twice: 1, 10, 100 and 1000 give 256.9.
library: OpenCV
shows: 5.0.0
class: bug
condition: Four inputs or more, both engines.  Two and three are right.
rule: ONNX Mean-13: the element-wise mean of the inputs.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import NEW, call, right, verdict, wrong

def mean(n, engine):
    names = ["x%d" % i for i in range(n)]
    text = "(%s) => (float[1,1] y) { y = Mean(%s) }" % (", ".join("float[1,1] " + x for x in names), ", ".join(names))
    return call(text, *[10**i for i in range(n)], engine=engine)


wrong("four", mean(4, NEW), [277.75], seen=[256.9375])
wrong("four, the classic engine", mean(4, 1), [277.75], seen=[256.9375])
right("three", mean(3, NEW), [37])
right("two", mean(2, NEW), [5.5])
verdict()

"""
title: Concat of one tensor gives memory that nobody set.
library: OpenCV
shows: 5.0.0
class: bug
condition: The classic engine, and an axis in front of which all sizes are 1.  The new engine is right, and so is Concat
    of two.
rule: ONNX Concat-13: inputs, 1 to 2147483647 of them; the output is the one tensor then.
documented: docs/methods/equiv.md, Libraries without a list; data/quirks.tsv, Concat
tracker: none found
found: equiv
"""
from library import NEW, array, call, right, verdict, wrong

CLASSIC, X = 1, [1, 2, 3, 4]


def concat(inputs, engine=NEW):
    return call("""(float[1,2,1,2] x) => (float[1,b,1,2] y) { y = Concat<axis = 1>(%s) }""" % inputs, X, engine=engine)


wrong("one tensor, the classic engine", concat("x", CLASSIC), array([1, 2, 1, 2], X))
right("the new engine", concat("x"), array([1, 2, 1, 2], X))
right("two tensors, the classic engine", concat("x, x", CLASSIC), array([1, 4, 1, 2], X * 2))
verdict()

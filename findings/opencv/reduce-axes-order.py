"""
title: Reductions over three axes that are not in order leave elements out and take others twice: 1, 10 and 100 give 21.
library: OpenCV
shows: 5.0.0
class: bug
condition: Three axes out of order; integers in the new engine, and floats in the classic one, too.  Axes in order are
    right, and so are floats in the new engine.
rule: ONNX ReduceSum-13: axes is a list of axes, in any order.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import NEW, call, right, verdict, wrong

def reduce(kind, axes, engine=NEW):
    return call("(%s[1,1,3,1] x) => (%s[1,1,1,1] y) <int64[3] a = {%s}> { y = ReduceSum(x, a) }" % (kind, kind, axes),
                [1, 10, 100], engine=engine)


wrong("int32", reduce("int32", "2, 3, 1"), [111], seen=[21])
wrong("the classic engine", reduce("float", "2, 3, 1", 1), [111], seen=[21])
right("in order", reduce("int32", "1, 2, 3"), [111])
right("floats, the new engine", reduce("float", "2, 3, 1"), [111])
verdict()

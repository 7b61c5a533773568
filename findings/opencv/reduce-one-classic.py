"""
title: The classic engine gives the input for ReduceL1 and ReduceSumSquare over an axis of one element: -1 for 1.
library: OpenCV
shows: 5.0.0
class: bug
condition: The classic engine, keepdims = 0, and the axis has one element.  keepdims = 1 is right, and so is the new
    engine.
rule: ONNX ReduceL1-18: the sum of the absolute values; ReduceSumSquare-18: that of the squares.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import NEW, call, right, verdict, wrong

def reduce(op, keep=0, engine=1):
    return call("(float[1,3] x) => (float[%s] y) <int64[1] a = {0}> { y = %s<keepdims = %d>(x, a) }"
                % ("1, 3" if keep else "3", op, keep), [-1, 2, -3], opset=18, engine=engine)


wrong("ReduceL1", reduce("ReduceL1"), [1, 2, 3], seen=[-1, 2, -3])
wrong("ReduceSumSquare", reduce("ReduceSumSquare"), [1, 4, 9], seen=[-1, 2, -3])
right("keepdims", reduce("ReduceL1", 1), [1, 2, 3])
right("the new engine", reduce("ReduceL1", engine=NEW), [1, 2, 3])
verdict()

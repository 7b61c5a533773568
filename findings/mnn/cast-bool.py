"""
title: Cast to bool of a number between 0 and 1 is false; true is right.
library: MNN
shows: 3.6.1
class: bug
condition: The number is above -1 and below 1, and not 0: it is cut to a whole number first.
rule: ONNX Cast-13: all numbers but 0 become true.
documented: docs/methods/fuzz.md, The paper's failures on MNN
tracker: none found
"""
from library import call, right, verdict, wrong

def cast(x):
    return call("(float[1] x) => (bool[1] y) { y = Cast<to = 9>(x) }", [x])


wrong("0.5", cast(0.5), [1], seen=[0])
right("1", cast(1), [1])
right("0", cast(0), [0])
verdict()

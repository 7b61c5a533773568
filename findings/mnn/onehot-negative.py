"""
title: OneHot of a negative index is off everywhere; it counts from the end.
library: MNN
shows: 3.6.1
class: bug
condition: An index from -depth to -1.  Indices of 0 and above are right.
rule: ONNX OneHot-11: entries "outside the range [-depth, depth-1]" are all off_value, and those in it are not.
documented: docs/methods/fuzz.md, Found in MNN and tract on 19 November
tracker: none found
found: fuzz
"""
from library import call, right, verdict, wrong


def hot(index):
    return call("""(int32[1] x) => (float[1,4] y) <int64 depth = {4}, float[2] v = {0, 1}>
        { y = OneHot<axis = -1>(x, depth, v) }""", [index])


wrong("-1", hot(-1), [0, 0, 0, 1], seen=[0] * 4)
wrong("-4", hot(-4), [1, 0, 0, 0], seen=[0] * 4)
right("3", hot(3), [0, 0, 0, 1])
right("-5, which is out of range", hot(-5), [0] * 4)
verdict()

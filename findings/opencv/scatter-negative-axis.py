"""
title: ScatterElements with a negative axis is refused.
library: OpenCV
shows: 5.0.0
class: bug
condition: axis below 0, both engines; the same axis counted from 0 is right.
rule: ONNX ScatterElements-18, attribute axis: "Negative value means counting dimensions from the back."
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import NEW, Refused, call, right, verdict, wrong

def scatter(axis, engine=NEW):
    return call("""(float[2,2] x, int64[1,2] i, float[1,2] u) => (float[2,2] y)
        { y = ScatterElements<axis = %d>(x, i, u) }""" % axis, [1, 2, 3, 4], [0, 1], [9, 8], opset=18, engine=engine)


Y = [9, 2, 3, 8]
wrong("-2", scatter(-2), Y, seen=Refused())
wrong("-2, the classic engine", scatter(-2, 1), Y, seen=Refused())
right("0", scatter(0), Y)
verdict()

"""
title: The classic engine's Slice with a negative step takes other elements, or refuses a start of -1.
library: OpenCV
shows: 5.0.0
class: bug
condition: The classic engine, a step below -1 from an element that no multiple of the step has left to the first one,
    or a start of -1.  The new engine is right.
rule: ONNX Slice-13: elements start, start + step, ..., also with negative steps; a negative start counts from the end.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import NEW, Refused, call, right, verdict, wrong

def cut(start, end, step, places, engine=1):
    return call("""(float[3,1] x) => (float[%d,1] y) <int64[1] s = {%d}, int64[1] e = {%d}, int64[1] a = {0},
        int64[1] t = {%d}> { y = Slice(x, s, e, a, t) }""" % (places, start, end, step), [0, 1, 2], engine=engine)


wrong("from 1 by -2", cut(1, -1000, -2, 1), [1], seen=[0])
wrong("from -1", cut(-1, -1000, -1, 3), [2, 1, 0], seen=Refused())
right("from 2", cut(2, -1000, -1, 3), [2, 1, 0])
right("from 1 by -2, the new engine", cut(1, -1000, -2, 1, NEW), [1])
right("from -1, the new engine", cut(-1, -1000, -1, 3, NEW), [2, 1, 0])
verdict()

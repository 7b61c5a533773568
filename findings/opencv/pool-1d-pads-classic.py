"""
title: The classic engine pads MaxPool and AveragePool of one axis at both ends with what is told for the beginning.
library: OpenCV
shows: 5.0.0
class: bug
condition: The classic engine, three axes, pads that differ from end to end.  The new engine is right.
rule: ONNX MaxPool-12, attribute pads: the first half are beginnings, the second half ends.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import NEW, call, right, verdict, wrong

def pool(op, pads, places, engine=1):
    return call("(float[1,1,3] x) => (float[1,1,%d] y) { y = %s<kernel_shape = [2], pads = [%s]>(x) }"
                % (places, op, pads), [3, 6, 9], engine=engine)


wrong("MaxPool", pool("MaxPool", "1, 0", 3), [3, 6, 9], seen=[3, 6, 9, 9])
wrong("MaxPool, at the end", pool("MaxPool", "0, 1", 3), [6, 9, 9], seen=[6, 9])
wrong("AveragePool", pool("AveragePool", "1, 0", 3), [3, 4.5, 7.5], seen=[3, 4.5, 7.5, 9])
right("the same at both", pool("MaxPool", "1, 1", 4), [3, 6, 9, 9])
right("the new engine", pool("MaxPool", "1, 0", 3, NEW), [3, 6, 9])
verdict()

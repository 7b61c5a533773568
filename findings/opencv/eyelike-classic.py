"""
title: The classic engine's EyeLike gives another type than dtype names: int8 for float32.
library: OpenCV
shows: 5.0.0
class: bug
condition: The classic engine, dtype is given.  The new engine is right.
rule: ONNX EyeLike-9, attribute dtype: the type of the output, by TensorProto.DataType.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import NEW, array, call, right, verdict, wrong

def eye(given, wanted, dtype, engine=1):
    return call("(%s[2,2] x) => (%s[2,2] y) { y = EyeLike<dtype = %d>(x) }" % (given, wanted, dtype), [0] * 4,
                engine=engine)


wrong("float32", eye("uint16", "float", 1), array([2, 2], [1, 0, 0, 1]), seen=array([2, 2], [1, 0, 0, 1], "int8"))
wrong("uint16", eye("float", "uint16", 4), array([2, 2], [1, 0, 0, 1], "uint16"))
right("float32, the new engine", eye("uint16", "float", 1, NEW), array([2, 2], [1, 0, 0, 1]))
verdict()

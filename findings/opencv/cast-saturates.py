"""
title: Cast of an integer that the other integer type does not have gives the end of that type; its lower bits are
    right.
library: OpenCV
shows: 5.0.0
class: bug
condition: Both engines.  Numbers that the type has are right.
rule: ONNX Cast-13, of fixed point to fixed point: "when OOR, discard higher bits and reinterpret (with respect to two's
    complement representation for signed types)".
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import NEW, call, right, verdict, wrong

def cast(given, code, wanted, *x, engine=NEW):
    return call("(%s[1,2] x) => (%s[1,2] y) { y = Cast<to = %d>(x) }" % (given, wanted, code), x, engine=engine)


wrong("uint32 to int32", cast("uint32", 6, "int32", 4294967295, 5), [-1, 5], seen=[2147483647, 5])
wrong("int32 to uint8", cast("int32", 2, "uint8", 257, -1), [1, 255], seen=[255, 0])
wrong("int32 to int8", cast("int32", 3, "int8", 257, 200), [1, -56], seen=[127, 127])
wrong("int32 to int8, the classic engine", cast("int32", 3, "int8", 257, 200, engine=1), [1, -56], seen=[127, 127])
right("what fits", cast("int32", 3, "int8", 100, -100), [100, -100])
verdict()

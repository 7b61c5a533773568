"""
title: Mod of the smallest int32 and -1 kills the process (SIGFPE); 0 is right.
library: OpenCV
shows: 5.0.0
class: bug
condition: The smallest number of the type, divisor -1, fmod = 0; both engines.
rule: ONNX Mod-13: the remainder of the division; every whole number is a multiple of -1.
documented: docs/methods/equiv.md, Libraries without a list; data/quirks.tsv, Mod
tracker: none found
found: by hand
"""
from library import NEW, Died, call, right, verdict, wrong


def mod(a, b, engine=NEW):
    return call("(int32[1] x, int32[1] z) => (int32[1] y) { y = Mod(x, z) }", [a], [b], engine=engine)


wrong("the smallest number by -1", mod(-2147483648, -1), [0], seen=Died("SIGFPE"))
wrong("the classic engine", mod(-2147483648, -1, 1), [0], seen=Died("SIGFPE"))
right("the next one", mod(-2147483647, -1), [0])
verdict()

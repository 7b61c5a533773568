"""
title: Mod of uint32 takes its numbers for int32: 4294967295 by 3 gives 2, where 0 is right.
library: OpenCV
shows: 5.0.0
class: bug
condition: Numbers from 2147483648 on, both engines.  Smaller ones are right, and so is Div.
rule: ONNX Mod-13: the remainder of the division; uint32 is one of its types.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import NEW, call, right, verdict, wrong

def node(op, x, z, engine=NEW):
    return call("(uint32[1,1] x, uint32[1,1] z) => (uint32[1,1] y) { y = %s(x, z) }" % op, x, z, engine=engine,
                opset=14)


wrong("a large number", node("Mod", 4294967295, 3), [0], seen=[2])
wrong("a large divisor", node("Mod", 7, 4294967295), [7], seen=[0])
wrong("the classic engine", node("Mod", 4294967295, 3, 1), [0], seen=[2])
right("small numbers", node("Mod", 8, 3), [2])
right("Div", node("Div", 4294967295, 3), [1431655765])
verdict()

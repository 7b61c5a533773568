"""
title: Div and Mod of integers by 0 kill the process (SIGFPE).
library: OpenCV
shows: 5.0.0
class: difference
condition: A divisor of 0 among the elements, both engines; other divisors are right.
rule: ONNX Div-14 and Mod-13 do not say what comes out; a number in a tensor must not end the process.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import NEW, Died, call, right, verdict, wrong

def node(op, z, engine=NEW):
    return call("(int32[1,2] x, int32[1,2] z) => (int32[1,2] y) { y = %s(x, z) }" % op, [5, 7], [3, z], engine=engine,
                opset=14)


fpe = Died("SIGFPE")
wrong("Div", node("Div", 0), [1, 0], seen=fpe)
wrong("Mod", node("Mod", 0), [2, 0], seen=fpe)
wrong("Div, the classic engine", node("Div", 0, 1), [1, 0], seen=fpe)
right("Div by 2", node("Div", 2), [1, 3])
right("Mod by 4", node("Mod", 4), [2, 3])
verdict()

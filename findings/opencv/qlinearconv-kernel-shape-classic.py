"""
title: QLinearConv without kernel_shape kills the process (SIGSEGV).
library: OpenCV
shows: 5.0.0
class: bug
condition: The classic engine.  With kernel_shape, and with the new engine, it is right.
rule: ONNX QLinearConv-10, attribute kernel_shape: "If not present, should be inferred from input 'w'."
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import Died, call, right, verdict, wrong

TEXT = """(int8[1,1,1,1] x) => (int8[1,1,1,1] y) <float s = {1}, int8 z = {0}, int8[1,1,1,1] w = {2}>
    { y = QLinearConv%s(x, s, z, w, s, z, s, z) }"""

wrong("left out", call(TEXT % "", [7], engine=1), [14], seen=Died("SIGSEGV"))
right("given", call(TEXT % "<kernel_shape = [1,1]>", [7], engine=1), [14])
right("the new engine", call(TEXT % "", [7]), [14])
verdict()

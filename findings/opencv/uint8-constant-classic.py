"""
title: The classic engine takes constants of uint8 for int8: Max and ScatterElements are refused, and QLinearConv and
    QLinearMatMul are wrong.
library: OpenCV
shows: 5.0.0
class: bug
condition: The classic engine, a constant of uint8.  As an input of the graph it is right, and so are int8 and the new
    engine.
rule: ONNX Max-13, ScatterElements-18, QLinearMatMul-10, QLinearConv-10: uint8 is one of the types, and the output has
    that of y_zero_point.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import Refused, array, call, right, verdict, wrong

MAX = "(uint8[1,2] x%s) => (uint8[1,2] y) %s { y = Max(x, w) }"
CONST = "<uint8[1,2] w = {3, 255}>"
SCATTER = """(uint8[1,2] x) => (uint8[1,2] y) <int64[1,1] i = {0}, uint8[1,1] u = {7}>
    { y = ScatterElements<axis = 1>(x, i, u) }"""
MATMUL = """(%s[1,1,2] x) => (%s[1,1,2] y) <float s = {1}, %s z = {0}, %s[2,2] w = {1, 2, 3, 4}>
    { y = QLinearMatMul(x, s, z, w, s, z, s, z) }"""
CONV = """(uint8[1,1,1,1] x) => (uint8[1,1,1,1] y) <float s = {1}, uint8 z = {0}, uint8[1,1,1,1] w = {2}>
    { y = QLinearConv<kernel_shape = [1,1]>(x, s, z, w, s, z, s, z) }"""

wrong("Max", call(MAX % ("", CONST), [5, 5], engine=1), [5, 255], seen=Refused())
wrong("ScatterElements", call(SCATTER, [1, 2], engine=1, opset=18), [7, 2], seen=Refused())
wrong("QLinearMatMul", call(MATMUL % (("uint8",) * 4), [1, 2], engine=1), array([1, 1, 2], [7, 10], "uint8"))
wrong("QLinearConv", call(CONV, [7], engine=1), [14], seen=[0])
right("Max of an input", call(MAX % (", uint8[1,2] w", ""), [5, 5], [3, 255], engine=1), [5, 255])
right("Max, the new engine", call(MAX % ("", CONST), [5, 5]), [5, 255])
right("QLinearMatMul of int8", call(MATMUL % (("int8",) * 4), [1, 2], engine=1), array([1, 1, 2], [7, 10], "int8"))
verdict()

"""
title: Infinity of float64 becomes 3.4e38, the largest float32: its square root is 1.8e19, and IsInf says false.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: float64.  float32 is right, and so is Identity.
rule: IEEE 754: infinity is infinity in float32, too, in which the CPU device computes; ONNX IsInf-20.
documented: docs/methods/fuzz.md, Found
tracker: https://github.com/openvinotoolkit/openvino/issues/37968
"""
from library import model, right, run, verdict, wrong

infinity = float("inf")


def unary(name, kind, result=None):
    m = model("(%s[2] x) => (%s[2] y) { y = %s(x) }" % (kind, result or kind, name), opset=20)
    return lambda: run(m, [infinity, 4])


wrong("Sqrt", unary("Sqrt", "double"), [infinity, 2], seen=[3.4028235e38 ** 0.5, 2])
wrong("Abs", unary("Abs", "double"), [infinity, 4], seen=[3.4028235e38, 4])
wrong("IsInf", unary("IsInf", "double", "bool"), [1, 0], seen=[0, 0])
right("Sqrt of float32", unary("Sqrt", "float"), [infinity, 2])
right("Identity", unary("Identity", "double"), [infinity, 4])
right("IsInf of float32", unary("IsInf", "float", "bool"), [1, 0])
verdict()

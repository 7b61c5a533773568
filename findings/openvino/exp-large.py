"""
title: Exp of 88.38 to 88.72 is infinity; e^x is below the largest float.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: 88.377 <= x <= 88.7228; below that it is right.
rule: ONNX Exp-13; the largest float32 is 3.4028e38 = e^88.7228.
documented: docs/methods/search.md, What it found
tracker: none found
"""
from library import model, right, run, verdict, wrong


def exp(x):
    m = model("(float[1] x) => (float[1] y) { y = Exp(x) }")
    return lambda: run(m, [x])


wrong("88.38", exp(88.38), [2.415155e38], seen=[float("inf")])
wrong("88.72", exp(88.72), [3.393180e38], seen=[float("inf")])
right("88.37", exp(88.37), [2.391138e38])
verdict()

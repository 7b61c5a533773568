"""
title: Softmax has no term below 1.2e-38: of (0, -90) the second is 1.3e-38, where 8.2e-40 is right.
library: tract
shows: 0.23.9
class: limit
condition: The right value is subnormal.  -80 (1.8e-35) is right.
rule: ONNX Softmax-13 sets no accuracy, and many libraries take subnormal numbers for others.
documented: docs/methods/search.md, What it found
tracker: none found
"""
import math

from library import model, right, run, verdict, wrong


def second(x):
    m = model("(float[2] x) => (float[2] y) { y = Softmax(x) }")
    return lambda: run(m, [0, x])


wrong("-90", second(-90), [1, math.exp(-90)], seen=[1, 1.311042e-38], rel=1e-3, abs=0)
right("-80", second(-80), [1, math.exp(-80)], rel=1e-3, abs=0)
verdict()

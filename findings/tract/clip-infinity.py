"""
title: Clip without a bound leaves an infinity as it is; a bound that is left out stands for the largest finite number.
library: tract
shows: 0.23.9
class: difference
condition: min or max is left out, and the element is an infinity of that sign.  A bound that is given holds.  ONNX's
    own implementation in Python leaves it as well.
rule: ONNX Clip-13: min and max "default to numeric_limits::lowest() and numeric_limits::max()".
documented: docs/campaign.md, Search, check, swap, gradients and real models
tracker: none found
"""
from library import model, right, run, verdict, wrong

INFINITY, LARGEST = float("inf"), 2.0 ** 128 - 2.0 ** 104


def clip(text):
    m = model("(float[3] x) => (float[3] y) <float low = {0}, float high = {9}> { y = %s }" % text)
    return lambda: run(m, [1, INFINITY, -INFINITY])


wrong("no bounds", clip("Clip(x)"), [1, LARGEST, -LARGEST], seen=[1, INFINITY, -INFINITY])
wrong("no upper bound", clip("Clip(x, low)"), [1, LARGEST, 0], seen=[1, INFINITY, 0])
wrong("no lower bound", clip('Clip(x, "", high)'), [1, 9, -LARGEST], seen=[1, 9, -INFINITY])
right("both bounds", clip("Clip(x, low, high)"), [1, 9, 0])
verdict()

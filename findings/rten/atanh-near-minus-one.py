"""
title: Atanh of the float after -1 is off by 4 percent.
library: rten
shows: 0.27.0
class: precision
condition: Numbers next to -1; the same next to 1 is right.
rule: ONNX Atanh-9: the inverse of the hyperbolic tangent.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
import math

from library import call, right, verdict, wrong

BEFORE = 1 - 2.0 ** -24


def atanh(*x):
    return call("(float[2] x) => (float[2] y) { y = Atanh(x) }", x)


wrong("next to -1", atanh(-BEFORE, 0), [-math.atanh(BEFORE), 0], rel=0.02)
right("next to 1", atanh(BEFORE, 0), [math.atanh(BEFORE), 0])
right("0.9", atanh(0.9, -0.9), [math.atanh(0.9), -math.atanh(0.9)])
verdict()

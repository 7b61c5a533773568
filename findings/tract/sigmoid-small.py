"""
title: Sigmoid goes down to 4.5e-7 and no lower: of -20 it gives 4.5e-7, where 2.1e-9 is right.
library: tract
shows: 0.23.9
class: precision
condition: Numbers below about -14; the absolute error is below 5e-7.
rule: ONNX Sigmoid-13: 1 / (1 + exp(-x)).  It sets no accuracy.
documented: docs/methods/check.md, Networks with made-up inputs
tracker: none found; https://github.com/sonos/tract/issues/2618 (closed; fixed by
    https://github.com/sonos/tract/pull/2620) is about results below 0 of the same approximation
"""
import math

from library import model, right, run, verdict, wrong


def sigmoid(x):
    m = model("(float[1] x) => (float[1] y) { y = Sigmoid(x) }")
    return (lambda: run(m, [x])), [1 / (1 + math.exp(-x))]


wrong("-20", *sigmoid(-20), seen=[4.4703484e-7], rel=1e-2, abs=0)
wrong("-40", *sigmoid(-40), seen=[4.4703484e-7], rel=1e-2, abs=0)
right("-10", *sigmoid(-10), rel=1e-2, abs=0)
right("-20, to 5e-7", *sigmoid(-20), rel=0, abs=5e-7)
verdict()

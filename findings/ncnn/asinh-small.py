"""
title: UnaryOp asinh of small numbers loses digits: of 0.000396158 it gives 0.000396054.
library: ncnn
shows: 1.0.20261020
class: precision
condition: Small numbers; the absolute error is some 1e-7, that of 1 + x rounded.  0.5 and more are right.
rule: UnaryOp 23 is asinh, which is x - x^3 / 6 for small x; rounded to float32 it is off by 2e-11.
documented: docs/methods/fuzz.md, Found
tracker: none found
"""
import math

from library import layer, right, verdict, wrong

x = 0.000396158

wrong("0.000396158", layer("UnaryOp 0=23", [x]), [math.asinh(x)], seen=[0.000396054], abs=1e-9)
right("0.5 and 3", layer("UnaryOp 0=23", [0.5, 3]), [math.asinh(0.5), math.asinh(3)])
verdict()

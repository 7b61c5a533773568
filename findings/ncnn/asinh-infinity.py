"""
title: UnaryOp asinh of infinity is 89.4; infinity is right.
library: ncnn
shows: 1.0.20261020
class: limit
condition: Infinities.  asinh(1e30) is right.  The library is compiled with -ffast-math, which promises nothing
    about infinities.
rule: C, Annex F: asinh(infinity) is infinity; 89.4 is asinh(3.4e38), that of the largest float.
documented: docs/methods/fuzz.md, Found
tracker: none found
"""
import math

from library import layer, right, verdict, wrong

wrong("both infinities", layer("UnaryOp 0=23", [math.inf, -math.inf]), [math.inf, -math.inf],
      seen=[89.4159851, -89.4159851])
right("1e30", layer("UnaryOp 0=23", [1e30, -1e30]), [math.asinh(1e30), -math.asinh(1e30)])
verdict()

"""
title: UnaryOp and infinities: log of 0, atan and reciprocal of infinity are NaN, and asinh of infinity is 89.4.
library: ncnn
shows: 1.0.20261020
class: limit
condition: Results or numbers that are infinite.  Finite ones are right: log(1e-30), atan(1e30), 1 / 1e30, asinh(1e30).
    The library is compiled with -ffast-math, which promises nothing about infinities.
rule: C, Annex F, and IEEE 754: log(0) is minus infinity, atan(infinity) pi / 2, 1 / infinity 0 and
    asinh(infinity) infinity.
documented: docs/methods/fuzz.md, Found
tracker: none found; https://github.com/Tencent/ncnn/issues/1284 is about the reciprocal of infinity in Sigmoid
"""
import math

from library import layer, right, verdict, wrong

infinity, nan = math.inf, math.nan
log, atan, reciprocal, asinh = ("UnaryOp 0=%d" % kind for kind in (8, 14, 15, 23))

wrong("log of 0", layer(log, [0]), [-infinity], seen=[nan])
wrong("log of infinity", layer(log, [infinity]), [infinity], seen=[88.7228394])
wrong("atan", layer(atan, [infinity, -infinity]), [math.pi / 2, -math.pi / 2], seen=[nan, nan])
wrong("reciprocal", layer(reciprocal, [infinity]), [0], seen=[nan])
wrong("asinh", layer(asinh, [-infinity]), [-infinity], seen=[-89.4159851])
right("log(1e-30)", layer(log, [1e-30]), [math.log(1e-30)])
right("atan(1e30)", layer(atan, [1e30]), [math.pi / 2])
right("1 / 1e30", layer(reciprocal, [1e30]), [1e-30], abs=0)
right("asinh(1e30)", layer(asinh, [-1e30]), [math.asinh(-1e30)])
verdict()

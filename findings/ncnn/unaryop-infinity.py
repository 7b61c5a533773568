"""
title: UnaryOp and infinities: log of 0 is NaN, log of infinity 88.7, and atan and reciprocal of infinity are NaN.
library: ncnn
shows: 1.0.20240820, 1.0.20260114, 1.0.20261020
class: limit
condition: Numbers or results that are infinite, four at a time, which vectors compute; since 1.0.20260114 in a blob
    of one, too.  Finite ones are right: log(1e-30), atan(1e30), 1 / 1e30.  The library is compiled with
    -ffast-math, which promises nothing about infinities.
rule: C, Annex F, and IEEE 754: log(0) is minus infinity, atan(infinity) is pi / 2 and 1 / infinity is 0.
documented: docs/methods/fuzz.md, Found
tracker: none found; https://github.com/Tencent/ncnn/issues/1284 is about the reciprocal of infinity in Sigmoid
"""
import math

from library import layer, right, verdict, wrong

infinity, nan = math.inf, math.nan
LOG, ATAN, RECIPROCAL = 8, 14, 15


def unary(kind, x):
    return layer("UnaryOp 0=%d" % kind, [x] * 4)


wrong("log of 0", unary(LOG, 0), [-infinity] * 4, seen=[nan] * 4)
wrong("log of infinity", unary(LOG, infinity), [infinity] * 4, seen=[88.7228394] * 4)
wrong("atan", unary(ATAN, infinity), [math.pi / 2] * 4, seen=[nan] * 4)
wrong("reciprocal", unary(RECIPROCAL, infinity), [0] * 4, seen=[nan] * 4)
right("log(1e-30)", unary(LOG, 1e-30), [math.log(1e-30)] * 4)
right("atan(1e30)", unary(ATAN, 1e30), [math.pi / 2] * 4)
right("1 / 1e30", unary(RECIPROCAL, 1e30), [1e-30] * 4, abs=0)
verdict()

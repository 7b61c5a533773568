"""
title: UnaryOp exp of 88.4 and more is 2.4e38: e^88.72 is 3.39e38, and that of 90 infinity.  cosh of 89 is 1.2e38, not
    2.2e38.
library: ncnn
shows: 1.0.20261020
class: bug
condition: Above 88.376, in all elements; four at a time in older releases.  88.37 is right.
rule: UnaryOp 7 is exp, 24 is cosh; the largest float32 is 3.4028e38 = e^88.7228.
documented: docs/methods/fuzz.md, Found
tracker: none found
found: fuzz
"""
import math

from library import layer, right, verdict, wrong

EXP, COSH, MOST = 7, 24, 2.40614363e38


def unary(kind, x):
    return layer("UnaryOp 0=%d" % kind, [x] * 4)


wrong("exp of 88.5", unary(EXP, 88.5), [2.723088e38] * 4, seen=[MOST] * 4)
wrong("exp of 88.72", unary(EXP, 88.72), [3.393180e38] * 4, seen=[MOST] * 4)
wrong("exp of 90", unary(EXP, 90), [math.inf] * 4, seen=[MOST] * 4)
wrong("cosh of 89", unary(COSH, 89), [math.cosh(89)] * 4, seen=[MOST / 2] * 4)
right("exp of 88.37", unary(EXP, 88.37), [2.391138e38] * 4)
right("cosh of 88", unary(COSH, 88), [math.cosh(88)] * 4)
verdict()

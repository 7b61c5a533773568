"""
title: NaN goes lost: exp of NaN is 2.4e38, log of NaN and acosh of 0.5 are -87.3, the L2 norm of NaN is 0.
library: ncnn
shows: 1.0.20261020
class: limit
condition: NaN, and acosh of less than 1, which is NaN.  sqrt and sin keep it, and so do sums.  The library is compiled
    with -ffast-math, which promises nothing about NaN.
rule: C, Annex F: of NaN all of these are NaN, and acosh(x) is NaN for x < 1; ncnn's operators.md says nothing of NaN.
documented: docs/methods/fuzz.md, Found
tracker: none found
found: fuzz
"""
import math

from library import layer, right, verdict, wrong

NAN = math.nan
EXP, LOG, ACOSH, SQRT = 7, 8, 25, 5
SUM, L2, LOG_SUM_EXP = 0, 8, 10


def unary(kind, x):
    return layer("UnaryOp 0=%d" % kind, [x] * 4)


def reduce(kind, values):
    return layer("Reduction 0=%d 1=1" % kind, values)


wrong("exp", unary(EXP, NAN), [NAN] * 4, seen=[2.40614363e38] * 4)
wrong("log", unary(LOG, NAN), [NAN] * 4, seen=[-87.3365479] * 4)
wrong("acosh of 0.5", unary(ACOSH, 0.5), [NAN] * 4, seen=[-87.3365479] * 4)
wrong("L2", reduce(L2, [2, -3, NAN]), [NAN], seen=[0])
wrong("LogSumExp", reduce(LOG_SUM_EXP, [2, -3, NAN, 1]), [NAN], seen=[2.3181756])
right("sqrt", unary(SQRT, NAN), [NAN] * 4)
right("sum", reduce(SUM, [2, -3, NAN]), [NAN])
right("acosh of 1.5", unary(ACOSH, 1.5), [math.acosh(1.5)] * 4)
verdict()

"""
title: HardSigmoid of -1 with alpha -0.5 is 0, that of 1 is 1; clamp(x * alpha + beta, 0, 1) is 1 and 0.
    HardSwish the same.
library: ncnn
shows: 1.0.20261020
class: bug
condition: alpha is below 0, and the element is among those left at the end of a blob, less than four; the others, which
    vectors compute four at a time, are right.  So is an alpha that is not negative.
rule: ncnn's operators.md, HardSigmoid: y = clamp(x * alpha + beta, 0, 1), HardSwish: y = x * clamp(x * alpha + beta,
    0, 1).
documented: docs/methods/fuzz.md, Found
tracker: none found
"""
from library import layer, right, verdict, wrong


def hard(kind, alpha, values):
    return layer("%s 0=%g 1=0.5" % (kind, alpha), values)


wrong("three elements", hard("HardSigmoid", -0.5, [-1, 0.5, 1]), [1, 0.25, 0], seen=[0, 0, 1])
wrong("the fifth of five", hard("HardSigmoid", -0.5, [-1] * 5), [1] * 5, seen=[1] * 4 + [0])
wrong("HardSwish", hard("HardSwish", -0.5, [-1, 0.5, 1]), [-1, 0.125, 0], seen=[0, 0, 1])
right("four elements", hard("HardSigmoid", -0.5, [-1, 0.5, 1, 0]), [1, 0.25, 0, 0.5])
right("four elements of HardSwish", hard("HardSwish", -0.5, [-1, 0.5, 1, 0]), [-1, 0.125, 0, 0])
right("alpha 0.5", hard("HardSigmoid", 0.5, [-1, 0.5, 1]), [0, 0.75, 1])
verdict()

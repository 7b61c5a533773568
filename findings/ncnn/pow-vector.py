"""
title: BinaryOp pow of a base that is 0 or negative gives 2.4e38; pow(0, 3) is 0 and pow(-2.5, 2) is 6.25.
library: ncnn
shows: 1.0.20261020
class: bug
condition: Among the first elements, four at a time, which vectors compute; what is left at the end of a blob is
    right, and
    so are positive numbers.
rule: C and IEEE 754, pow; what is left at the end says the same.
documented: data/quirks.tsv, Pow
tracker: https://github.com/Tencent/ncnn/issues/4215 (a base of 0), https://github.com/Tencent/ncnn/issues/4199
    (negative bases)
"""
from library import layer, right, verdict, wrong


def power(base, exponent, n):
    return layer("BinaryOp 0=6", [base] * n, [exponent] * n)


huge = 2.40614363e38
wrong("0 ** 3, four times", power(0, 3, 4), [0] * 4, seen=[huge] * 4)
wrong("-2.5 ** 2, five times", power(-2.5, 2, 5), [6.25] * 5, seen=[huge] * 4 + [6.25])
right("0 ** 3, three times", power(0, 3, 3), [0] * 3)
right("2.5 ** 2, four times", power(2.5, 2, 4), [6.25] * 4)
verdict()

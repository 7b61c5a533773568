"""
title: BinaryOp div by more than 8.5e37 is 0, and by 0 or infinity NaN: 3e38 / 3e38 is 1, 2 / 0 infinity.
library: ncnn
shows: 1.0.20261020
class: bug
condition: Among the first elements, four at a time, which vectors compute; what is left at the end of a blob is right,
    and so are divisors of up to 8e37.  The library is compiled with -ffast-math.
rule: ncnn's operators.md, BinaryOp 3: div = x / y, which is 1 for two equal numbers; IEEE 754 of 0 and infinity.
documented: docs/methods/fuzz.md, Found
tracker: none found; https://github.com/Tencent/ncnn/issues/1284 is about the reciprocal of infinity in Sigmoid
found: fuzz
"""
import math

from library import layer, right, verdict, wrong


def div(x, y, n=4):
    return layer("BinaryOp 0=3", [x] * n, [y] * n)


nan = [math.nan] * 4
wrong("3e38 / 3e38", div(3e38, 3e38), [1] * 4, seen=[0] * 4)
wrong("1e38 / 2e38, five times", div(1e38, 2e38, 5), [0.5] * 5, seen=[0] * 4 + [0.5])
wrong("2 / 0", div(2, 0), [math.inf] * 4, seen=nan)
wrong("-1.5 / infinity", div(-1.5, math.inf), [0] * 4, seen=nan)
right("8e37 / 8e37", div(8e37, 8e37), [1] * 4)
right("1e-30 / 4e-30", div(1e-30, 4e-30), [0.25] * 4)
right("3e38 / 3e38, once", div(3e38, 3e38, 1), [1])
verdict()

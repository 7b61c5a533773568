"""
title: Mul, Min, Max, Abs and Clip of int32 compute in float32: the smaller one of 16777217 and 16777218 is 16777216,
    and of 2147483647 twice -2147483648.
library: MNN
shows: 3.6.1
class: bug
condition: int32 and int64, numbers or results above 2^24.  Add, Sub, Div, Neg, ReduceMax and ReduceSum are
    right.
rule: ONNX Min-13, Max-13, Mul-14, Abs-13 and Clip-13 have int32 among their types; 32 bits hold these results.
documented: docs/methods/fuzz.md, Found in MNN and tract on 19 November
tracker: none found
found: fuzz
"""
from library import call, right, verdict, wrong

exact = {"rel": 0, "abs": 0}


def pair(op, a, b):
    return call("(int32[1] x, int32[1] z) => (int32[1] y) { y = %s(x, z) }" % op, [a], [b], opset=14)


def one(op, *values):
    return call("(int32[%d] x) => (int32[1] y) { y = %s(x) }" % (len(values), op), values, opset=14)


odd, end = 2 ** 24 + 1, 2 ** 31 - 1
wrong("Min", pair("Min", odd, odd + 1), [odd], seen=[odd - 1], **exact)
wrong("Max", pair("Max", odd, 1), [odd], seen=[odd - 1], **exact)
wrong("Min of the ends", pair("Min", end, end), [end], seen=[-end - 1], **exact)
wrong("Mul", pair("Mul", 4097, 4097), [16785409], seen=[16785408], **exact)
wrong("Abs", one("Abs", -odd), [odd], seen=[odd - 1], **exact)
wrong("Clip", call("(int32[1] x) => (int32[1] y) <int32 a = {0}> { y = Clip(x, a) }", [odd]), [odd], seen=[odd - 1],
      **exact)
right("Add", pair("Add", odd, 1), [odd + 1], **exact)
right("Sub", pair("Sub", odd, 1), [odd - 1], **exact)
right("Div", pair("Div", end, 2), [2 ** 30 - 1], **exact)
right("Neg", one("Neg", odd), [-odd], **exact)
right("ReduceMax", one("ReduceMax", odd, 1), [odd], **exact)
right("ReduceSum", one("ReduceSum", odd, 2), [odd + 2], **exact)
right("Mul of small ones", pair("Mul", 3, 5), [15], **exact)
verdict()

"""
title: Min and Max of int64 take the wrong one of 2^31 and 0, and of other numbers whose upper 32 bits are equal.
library: onnxruntime
shows: 1.31.1
class: bug
condition: int64, two elements or more, and only one of the lower halves is 2^31 or more: 2^31 and 0, 2^33 + 2^31 and
    2^33 + 1, -2^32 and -5.  Clip and Sign of int64 are wrong for the same reason (clip-int64, sign-int64).  2^31 + 100
    and 2^31 + 50, and uint64, are right.
rule: ONNX Min-13 and Max-13: the smallest and the largest of the elements.
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/microsoft/onnxruntime/pull/32475 (open; the fault is in Eigen)
found: fuzz
"""
from library import array, model, right, run, verdict, wrong


def chosen(op, a, b, kind="int64"):
    m = model("(%s[2] a, %s[2] b) => (%s[2] y) { y = %s(a, b) }" % (kind, kind, kind, op))
    return lambda: run(m, array([2], [a, a], kind), array([2], [b, b], kind))


wrong("Min of 2^31 and 0", chosen("Min", 2**31, 0), [0, 0], seen=[2**31, 2**31])
wrong("Max of 2^31 and 0", chosen("Max", 2**31, 0), [2**31, 2**31], seen=[0, 0])
wrong("Max of -2^32 and -5", chosen("Max", -2**32, -5), [-5, -5], seen=[-2**32, -2**32])
wrong("Min of 2^33 + 2^31 and 2^33 + 1", chosen("Min", 2**33 + 2**31, 2**33 + 1), [2**33 + 1] * 2,
      seen=[2**33 + 2**31] * 2)
right("Min of 2^31 + 100 and 2^31 + 50", chosen("Min", 2**31 + 100, 2**31 + 50), [2**31 + 50] * 2)
right("Min of 2^31 - 1 and 0", chosen("Min", 2**31 - 1, 0), [0, 0])
right("Min of 2^31 and 0, of uint64", chosen("Min", 2**31, 0, "uint64"), [0, 0])
verdict()

"""
title: Sign of int64 is -1 for numbers from 2^31 to 2^32 - 1.
library: onnxruntime
shows: 1.31.1
class: bug
condition: int64, and a number of that range: alone or among others.  Smaller and larger ones, negative ones and uint64
    are right.  Clip of int64 is wrong for the same numbers and the same reason (clip-int64).
rule: ONNX Sign-13: "if input > 0, output 1".
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/microsoft/onnxruntime/pull/32475 (open; the fault is in Eigen)
"""
from library import array, model, right, run, verdict, wrong


def sign(kind, *x):
    m = model("(%s[%d] x) => (%s[%d] y) { y = Sign(x) }" % (kind, len(x), kind, len(x)))
    return lambda: run(m, array([len(x)], x, kind))


wrong("2^31 and 2^32 - 1", sign("int64", 2**31, 2**32 - 1), [1, 1], seen=[-1, -1])
wrong("3 * 2^30 among others", sign("int64", -7, 3 * 2**30, 0, 9), [-1, 1, 0, 1], seen=[-1, -1, 0, 1])
right("2^31 - 1 and 2^32", sign("int64", 2**31 - 1, 2**32), [1, 1])
right("2^33 + 2^31 and 2^62", sign("int64", 2**33 + 2**31, 2**62), [1, 1])
right("-2^31 and -2^32 + 1", sign("int64", -2**31, -2**32 + 1), [-1, -1])
right("of uint64", sign("uint64", 2**31, 2**32 - 1), [1, 1])
verdict()

"""
title: Clip of int64 lets numbers from 2^31 to 2^32 - 1 pass its upper bound, or makes its lower bound of them.
library: onnxruntime
shows: 1.31.1
class: bug
condition: int64, a number of that range, or from -2^32 to -2^31 - 1, which pass the lower bound; with a lower bound of
    0, 0 comes out for the first.  Numbers beyond these, smaller ones and uint64 are right.
rule: ONNX Clip-13: the result is at most max, and at least min.
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/microsoft/onnxruntime/pull/32475 (open; the fault is in Eigen)
"""
from library import array, model, right, run, verdict, wrong


def clip(kind, dtype, x, low=None):
    m = model("(%s[2] x) => (%s[2] y) <%s low = {%d}, %s high = {1000}> { y = Clip(x, %s, high) }"
              % (kind, kind, kind, low or 0, kind, "" if low is None else "low"))
    return lambda: run(m, array([2], x, dtype))


wrong("2^31 and 2^32 - 1", clip("int64", "int64", [2**31, 2**32 - 1]), [1000, 1000], seen=[2**31, 2**32 - 1])
wrong("the same, at least 0", clip("int64", "int64", [2**31, 2**32 - 1], 0), [1000, 1000], seen=[0, 0])
wrong("-2^32 and -2^31 - 1, at least -8", clip("int64", "int64", [-2**32, -2**31 - 1], -8), [-8, -8],
      seen=[-2**32, -2**31 - 1])
right("2^31 - 1 and 2^32", clip("int64", "int64", [2**31 - 1, 2**32]), [1000, 1000])
right("-2^32 - 1 and -2^31, at least -8", clip("int64", "int64", [-2**32 - 1, -2**31], -8), [-8, -8])
right("of uint64", clip("uint64", "uint64", [2**31, 2**32 - 1]), [1000, 1000])
verdict()

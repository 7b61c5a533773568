"""
title: Clip of int64 lets numbers from 2^31 to 2^32 - 1 pass its upper bound.
library: onnxruntime
shows: 1.31.1
class: bug
condition: int64, a number of that range; numbers beyond it, smaller ones and uint64 are right.
rule: ONNX Clip-13: the result is at most max.
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/microsoft/onnxruntime/pull/32475 (open; the fault is in Eigen)
"""
from library import array, model, right, run, verdict, wrong


def clip(kind, dtype, x):
    m = model("(%s[2] x) => (%s[2] y) <%s high = {1000}> { y = Clip(x, , high) }" % (kind, kind, kind))
    return lambda: run(m, array([2], x, dtype))


wrong("2^31 and 2^32 - 1", clip("int64", "int64", [2**31, 2**32 - 1]), [1000, 1000], seen=[2**31, 2**32 - 1])
right("2^31 - 1 and 2^32", clip("int64", "int64", [2**31 - 1, 2**32]), [1000, 1000])
right("of uint64", clip("uint64", "uint64", [2**31, 2**32 - 1]), [1000, 1000])
verdict()

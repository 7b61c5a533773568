"""
title: int64 and uint64 are computed in 32 bits: 2^40 + 1 is 1, and 1 << 40 of uint64 is 2^64 - 2^31.
library: openvino
shows: 2026.4.1
class: limit
condition: Numbers that int32 does not hold.
rule: ONNX Add-14 and BitShift-11 have 64 bits; OpenVINO's page of the CPU device lists int32 as its type of integers.
documented: docs/methods/fuzz.md, Found
tracker: https://github.com/openvinotoolkit/openvino/issues/35825 (Greater),
    https://github.com/openvinotoolkit/openvino/issues/35837 (CumSum)
"""
import numpy as np

from library import model, right, run, verdict, wrong


def binary(call, kind, a, b):
    m = model("(%s[1] x, %s[1] z) => (%s[1] y) { y = %s(x, z) }" % (kind, kind, kind, call))
    return lambda: run(m, np.array([a], kind), np.array([b], kind))


shift = 'BitShift<direction = "LEFT">'
wrong("2^40 + 1", binary("Add", "int64", 2 ** 40, 1), [2 ** 40 + 1], seen=[1])
wrong("1 << 40", binary(shift, "uint64", 1, 40), [2 ** 40], seen=[2 ** 64 - 2 ** 31])
right("2^20 + 1", binary("Add", "int64", 2 ** 20, 1), [2 ** 20 + 1])
right("1 << 20", binary(shift, "uint64", 1, 20), [2 ** 20])
verdict()

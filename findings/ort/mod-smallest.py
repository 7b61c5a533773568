"""
title: Mod of the smallest int64 or int32 and -1 kills the process (SIGFPE); 0 is right.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: bug
condition: The smallest number of the type, divisor -1, fmod = 0.
rule: ONNX Mod-13: the remainder of the division; every whole number is a multiple of -1.
documented: data/quirks.tsv, Mod
tracker: https://github.com/microsoft/onnxruntime/pull/32369 (open; with Mod of opset 28)
"""
from library import Died, model, right, run, verdict, wrong


def mod(kind, a, b):
    m = model("(%s[1] a, %s[1] b) => (%s[1] y) { y = Mod(a, b) }" % (kind, kind, kind))
    return lambda: run(m, [a], [b])


wrong("-2^63 mod -1", mod("int64", -2 ** 63, -1), [0], seen=Died("SIGFPE"))
wrong("-2^31 mod -1", mod("int32", -2 ** 31, -1), [0], seen=Died("SIGFPE"))
right("-2^63 + 1 mod -1", mod("int64", -2 ** 63 + 1, -1), [0])
right("-2^63 mod -2", mod("int64", -2 ** 63, -2), [0])
verdict()

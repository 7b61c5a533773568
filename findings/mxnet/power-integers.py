"""
title: power of integers computes in float32: 65535 to the power of 2 is 4294836224; 4294836225 is right.
library: mxnet
shows: 1.9.1
class: bug
condition: int32 and int64, powers above 2^24.  The product is right, and so are smaller powers.
rule: mx.np.power: x raised to y, of the type of x and y; ONNX Pow takes integers.
documented: docs/methods/fuzz.md, Found
tracker: none found; https://github.com/apache/mxnet/issues/13220 (closed) is about floor, round, ceil and trunc
found: fuzz
"""
from library import mx, right, verdict, wrong


def power(x, y, kind="int64"):
    return lambda: mx.np.power(mx.np.array([x], dtype=kind), mx.np.array([y], dtype=kind)).asnumpy()


def product(x):
    def call():
        a = mx.np.array([x], dtype="int64")
        return (a * a).asnumpy()
    return call


exact = {"rel": 0, "abs": 0}
wrong("65535 to the power of 2", power(65535, 2), [4294836225], seen=[4294836224], **exact)
wrong("46340 to the power of 2, int32", power(46340, 2, "int32"), [2147395600], seen=[2147395584], **exact)
right("65535 * 65535", product(65535), [4294836225], **exact)
right("4095 to the power of 2", power(4095, 2), [16769025], **exact)
verdict()

"""
title: square of integers computes in float32: 5181 squared is 26842760, and 5181 * 5181 is 26842761.
library: mxnet
shows: 1.9.1
class: bug
condition: int32 and int64, squares above 2^24.  The product is right, and so are smaller squares.
rule: mx.np.square: x * x, of the type of x.
documented: docs/methods/fuzz.md, Found
tracker: none found; https://github.com/apache/mxnet/issues/13220 (closed) is about floor, round, ceil and trunc
    of integers, which are right now
"""
from library import mx, right, verdict, wrong


def square(x, kind="int32"):
    return lambda: mx.np.square(mx.np.array([x], dtype=kind)).asnumpy()


def product(x):
    def call():
        a = mx.np.array([x], dtype="int32")
        return (a * a).asnumpy()
    return call


exact = {"rel": 0, "abs": 0}
wrong("5181", square(5181), [26842761], seen=[26842760], **exact)
wrong("46340", square(46340), [2147395600], seen=[2147395584], **exact)
wrong("5181 of int64", square(5181, "int64"), [26842761], seen=[26842760], **exact)
right("5181 * 5181", product(5181), [26842761], **exact)
right("4001", square(4001), [16008001], **exact)
verdict()

"""
title: dot of a [2, 0] and a [0, 3] array kills the process; it is [2, 3] of zeros.
library: mxnet
shows: 1.9.1
class: bug
condition: The summed axis has no elements, with shapes as in NumPy (npx.set_np).  An axis of 1 is right.
rule: mx.nd.dot: the sum over the last axis of the first and the first of the second array; mx.npx.set_np: arrays
    without elements are valid.
documented: docs/methods/fuzz.md, Found
tracker: none found; https://github.com/apache/mxnet/issues/15563 is about np.tensordot of such arrays
"""
from library import Died, mx, right, verdict, wrong


def dot(n):
    return lambda: mx.nd.dot(mx.nd.ones((2, n)), mx.nd.ones((n, 3))).asnumpy()


wrong("an axis of 0", dot(0), [0] * 6, seen=Died("SIGFPE"))
right("an axis of 1", dot(1), [1] * 6)
verdict()

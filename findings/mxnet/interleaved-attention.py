"""
title: interleaved_matmul_selfatt_qk of an input that is not divisible by 3 gives wrong numbers; it must be refused.
library: mxnet
shows: 1.6.0, 1.9.1
class: bug
condition: The last axis is not divisible by 3 times heads; below 3 the result is memory that was not set.
rule: mx.nd.contrib.interleaved_matmul_selfatt_qk: queries, keys and values are interleaved along the last axis.
documented: docs/methods/equiv.md, What was measured
tracker: none found; https://github.com/apache/mxnet/issues/19686 is about heads = 0
"""
import numpy as np

from library import Refused, mx, right, verdict, wrong

mx.npx.reset_np()


def products(size):
    x = mx.nd.array(np.arange(1, 2 * size + 1).reshape(2, 1, size))
    return lambda: mx.nd.contrib.interleaved_matmul_selfatt_qk(x, heads=1).asnumpy()


wrong("4 elements", products(4), Refused(), seen=[2, 5, 8, 20])
right("3 elements", products(3), [1 * 2, 1 * 5, 4 * 2, 4 * 5])
verdict()

"""
title: An array without rows, indexed by a mask of no elements, kills the process (SIGSEGV); no rows are right.
library: mxnet
shows: 1.9.1
class: bug
condition: mx.np arrays, whose mask of type bool has no elements; mx.nd.contrib.boolean_mask is what is called.  A mask
    that is false everywhere is right.
rule: mx.npx.set_np: arrays without elements are valid; mx.np.ndarray: boolean indexing as in NumPy.
documented: docs/campaign.md, The hunt with the other methods
tracker: none found; https://github.com/apache/mxnet/issues/20044 is about such an array for `out`
"""
from library import Died, mx, np, right, verdict, wrong


def masked(rows, mask):
    return lambda: mx.np.array(rows, dtype="float32")[mx.np.array(mask, dtype="bool")].asnumpy()


wrong("no rows", masked(np.zeros((0, 2)), np.zeros(0)), np.zeros((0, 2), np.float32), seen=Died())
wrong("no numbers", masked(np.zeros(0), np.zeros(0)), np.zeros(0, np.float32), seen=Died())
right("all false", masked([[1, 2]], [False]), np.zeros((0, 2), np.float32))
right("the second", masked([1, 2], [False, True]), [2])
verdict()

"""
title: contrib.index_copy writes to memory that is not its own when an index is beyond the end, and the process dies.
library: mxnet
shows: 1.9.1
class: bug
condition: An index far beyond either end kills the process at once (SIGSEGV), one just beyond it later or never.
    Indices in range are right.
rule: mx.nd.contrib.index_copy: "if index[i] == j, then the i th row of new_tensor is copied to the j th row of output";
    there is no such row.
documented: docs/campaign.md, The hunt with the other methods
tracker: none found
"""
from library import Died, Refused, mx, right, verdict, wrong


def copied(index):
    return lambda: mx.nd.contrib.index_copy(mx.nd.zeros((2,)), mx.nd.array([index], dtype="int64"),
                                            mx.nd.array([7])).asnumpy()


wrong("index 10 ** 9 of 2", copied(10 ** 9), Refused(), seen=Died())
wrong("index -10 ** 9 of 2", copied(-10 ** 9), Refused(), seen=Died())
right("index 1 of 2", copied(1), [0, 7])
right("index 0 of 2", copied(0), [7, 0])
verdict()

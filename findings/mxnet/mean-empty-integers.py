"""
title: mean of an int64 or int32 array without elements kills the process (SIGFPE); of floats it is NaN.
library: mxnet
shows: 1.9.1
class: bug
condition: mx.nd.mean of whole numbers over no elements, with shapes as in NumPy (npx.set_np).  One element is right.
rule: mx.npx.set_np: arrays without elements are valid.  There is no mean of nothing: that is told, by NaN or an error,
    and does not end the process.
documented: docs/campaign.md, The hunt with the other methods
tracker: none found
"""
from library import Died, Refused, mx, right, verdict, wrong


def mean(n, kind):
    return lambda: mx.nd.mean(mx.nd.full((n, 2), 7, dtype=kind)).asnumpy()


wrong("int64, no elements", mean(0, "int64"), Refused(), seen=Died("SIGFPE"))
wrong("int32, no elements", mean(0, "int32"), Refused(), seen=Died("SIGFPE"))
right("int64, two elements", mean(1, "int64"), [7])
right("float32, no elements", mean(0, "float32"), [float("nan")])
verdict()

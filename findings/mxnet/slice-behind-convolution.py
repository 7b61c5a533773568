"""
title: A slice of one channel behind a Convolution is refused ("could not construct a sub-memory"), or kills the
    process.
library: mxnet
shows: 1.9.1
class: bug
condition: The Convolution's result is in oneDNN's blocks of 8 channels (8 channels with one group, 16 with two), and
    the
    slice is a part of a block; of channel 0 the process dies.  4 channels, and all 8, are right.
rule: mx.nd.slice: any range of an array.
documented: docs/methods/fuzz.md, Found
tracker: none found; https://github.com/apache/mxnet/issues/16732 is about the slice of a large array by oneDNN
"""
import numpy as np

from library import Died, Refused, mx, right, verdict, wrong

mx.npx.reset_np()


def channel(index, channels, groups=1, end=None):
    def call():
        x = mx.nd.array(np.arange(1, 9).reshape(1, 2, 2, 2))
        y = mx.nd.Convolution(x, mx.nd.ones((channels, 2 // groups, 1, 1)), kernel=(1, 1), num_filter=channels,
                              num_group=groups,
                              no_bias=True)
        return mx.nd.slice(y, begin=(0, index, 0, 0), end=(1, end or index + 1, 2, 2)).asnumpy()
    return call


both, first = [6, 8, 10, 12], [1, 2, 3, 4]  # the sum of the two input channels; the first of them alone
wrong("channel 1 of 8", channel(1, 8), both, seen=Refused("sub-memory"))
wrong("channel 1 of 16, two groups", channel(1, 16, 2), first, seen=Refused("sub-memory"))
wrong("channel 0 of 8", channel(0, 8), both, seen=Died("SIGFPE"))
right("channel 1 of 4", channel(1, 4), both)
right("channels 0 to 7 of 8", channel(0, 8, end=8), both * 8)
verdict()

"""
title: MaxUnpool of a batch of two is refused.
library: OpenCV
shows: 5.0.0
class: bug
condition: The first axis is longer than 1 ("input.size[0] == 1").
rule: ONNX MaxUnpool-22: the first axis is the batch; indices count in the flattened tensor.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import Refused, call, right, verdict, wrong


def unpool(batch, x, i):
    return call("""(float[%d,1,1,1] x, int64[%d,1,1,1] i) => (float[%d,1,2,2] y)
                   { y = MaxUnpool<kernel_shape = [2, 2], strides = [2, 2]>(x, i) }""" % (batch, batch, batch), x, i,
                opset=11)


wrong("two", unpool(2, [5, 6], [3, 5]), [0, 0, 0, 5, 0, 6, 0, 0], seen=Refused("input.size[0] == 1"))
right("one", unpool(1, [5], [3]), [0, 0, 0, 5])
verdict()

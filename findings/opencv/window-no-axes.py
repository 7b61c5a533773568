"""
title: MaxPool, Conv and ConvTranspose of a tensor without channels or without axes for the window kill the process
    (SIGFPE); such a node must be refused.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine.  The classic one refuses them.
rule: ONNX MaxPool-12, X: a tensor of N × C × H × W, where N is the size of the batch and C the number of channels;
    likewise Conv-11 and ConvTranspose-11.
documented: docs/methods/equiv.md, Libraries without a list; data/quirks.tsv, MaxPool
tracker: none found
found: equiv
"""
from library import NEW, Died, Refused, call, right, verdict, wrong


def pool(dims, values, engine=NEW):
    return call("(float%s x) => (float%s y) { y = MaxPool<kernel_shape = [1]>(x) }" % (dims, dims), values,
                engine=engine, check=False)


def conv(op, weights, count):
    return call("(float[3] x, float%s w) => (float[n] y) { y = %s(x, w) }" % (weights, op), [1, 2, 3], range(count),
                check=False)


wrong("MaxPool of a vector", pool("[4]", [1, 2, 3, 4]), Refused(), seen=Died("SIGFPE"))
wrong("ConvTranspose of a vector", conv("ConvTranspose", "[2,3,2,1]", 12), Refused(), seen=Died("SIGFPE"))
right("MaxPool of a batch", pool("[1,1,4]", [1, 2, 3, 4]), [1, 2, 3, 4])
right("the classic engine", pool("[4]", [1, 2, 3, 4], 1), Refused())
verdict()

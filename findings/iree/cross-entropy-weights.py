"""
title: SoftmaxCrossEntropyLoss with weights below 1 is infinite: the mean divides by their whole parts.
library: iree-base-compiler
shows: 3.13.0
class: bug
condition: Weights are given and the reduction is mean; weights that are whole numbers are right.
rule: ONNX SoftmaxCrossEntropyLoss-13: with weights, mean is ReduceSum(L) / ReduceSum(W).
documented: data/quirks.tsv, SoftmaxCrossEntropyLoss
tracker: https://github.com/iree-org/iree/issues/24228
"""
import math

from library import SECONDS, call, right, verdict, wrong


def mean(first, second):
    """Of two samples with the same number for each of two classes, whose loss is log 2 whatever the weights are."""
    return call("""(float[2,2] x) => (float y) <int64[2] labels = {0, 1}, float[2] w = {%g, %g}>
        { y = SoftmaxCrossEntropyLoss<reduction = "mean">(x, labels, w) }""" % (first, second), [0, 0, 0, 0])


wrong("0.5", mean(0.5, 0.5), [math.log(2)], seen=[math.inf], seconds=SECONDS)
wrong("1.5", mean(1.5, 1.5), [math.log(2)], seen=[1.5 * math.log(2)], seconds=SECONDS)
right("whole numbers", mean(1, 3), [math.log(2)], seconds=SECONDS)
verdict()

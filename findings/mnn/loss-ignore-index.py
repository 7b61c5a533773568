"""
title: The mean of NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss also counts the elements of ignore_index.
library: MNN
shows: 3.6.1
class: bug
condition: reduction mean, no weights, and a label that is ignore_index.
rule: ONNX NegativeLogLikelihoodLoss-13: ignored elements do not count.
documented: data/quirks.tsv, NegativeLogLikelihoodLoss; data/quirks.tsv, SoftmaxCrossEntropyLoss
tracker: none found
"""
import math

from library import call, right, verdict, wrong

def loss(op, ignored, *x):
    return call("(float[2,2] x, int64[2] l) => (float y) { y = %s<ignore_index = %d>(x, l) }" % (op, ignored), x,
                [0, 1])


wrong("NegativeLogLikelihoodLoss", loss("NegativeLogLikelihoodLoss", 1, 1, 2, 3, 4), [-1], seen=[-0.5])
wrong("SoftmaxCrossEntropyLoss", loss("SoftmaxCrossEntropyLoss", 1, 0, 0, 0, 0), [math.log(2)], seen=[math.log(2) / 2])
right("nothing ignored", loss("NegativeLogLikelihoodLoss", 5, 1, 2, 3, 4), [-2.5])
verdict()

"""
title: SoftmaxCrossEntropyLoss, NegativeLogLikelihoodLoss and ScatterND with a reduction that is no word of ONNX are
    run; they must be refused.
library: onnxruntime
shows: 1.31.1
class: bug
condition: Any word but those of ONNX, which are right.  The losses give the sum then, and ScatterND what it gives for
    none.
rule: ONNX SoftmaxCrossEntropyLoss-13 and NegativeLogLikelihoodLoss-13, attribute reduction: "Type of reduction to apply
    to loss: none, sum, mean(default)."; ScatterND-18: "none (default), add, mul, max, min".
documented: docs/campaign.md, All methods on all libraries
tracker: none found
found: fuzz
"""
import math

from library import Refused, model, right, run, verdict, wrong


def loss(op, reduction):
    m = model('(float[2,2] x, int64[2] w) => (float y) { y = %s<reduction = "%s">(x, w) }' % (op, reduction),
              check=False)
    return lambda: run(m, [1, 2, 3, 5], [0, 1])


entropy = math.log(1 + math.exp(1)) + math.log(1 + math.exp(-2))
for op, total in (("SoftmaxCrossEntropyLoss", entropy), ("NegativeLogLikelihoodLoss", -6)):
    wrong(op + ", no_such_word", loss(op, "no_such_word"), Refused(), seen=[total])
    right(op + ", sum", loss(op, "sum"), [total])
    right(op + ", mean", loss(op, "mean"), [total / 2])


def scatter(reduction):
    m = model('(float[2] x, int64[1,1] i, float[1] u) => (float[2] y) { y = ScatterND<reduction = "%s">(x, i, u) }'
              % reduction, check=False, opset=18)
    return lambda: run(m, [1, 2], [1], [5])


wrong("ScatterND, no_such_word", scatter("no_such_word"), Refused(), seen=[1, 5])
right("ScatterND, none", scatter("none"), [1, 5])
right("ScatterND, add", scatter("add"), [1, 7])
verdict()

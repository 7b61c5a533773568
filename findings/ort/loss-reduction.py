"""
title: SoftmaxCrossEntropyLoss and NegativeLogLikelihoodLoss with a reduction that is no word of ONNX give the sum; they
    must be refused.
library: onnxruntime
shows: 1.31.1
class: bug
condition: Any word but none, sum and mean, which are right.
rule: ONNX SoftmaxCrossEntropyLoss-13 and NegativeLogLikelihoodLoss-13, attribute reduction: "Type of reduction to apply
    to loss: none, sum, mean(default)."
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
verdict()

"""
title: SoftmaxCrossEntropyLoss with its second output, log_prob, cannot be loaded.
library: MNN
shows: 3.6.1
class: bug
condition: log_prob is asked for.
rule: ONNX SoftmaxCrossEntropyLoss-13, output log_prob.
documented: data/quirks.tsv, SoftmaxCrossEntropyLoss
tracker: none found
"""
import math

from library import Refused, call, right, verdict, wrong

half = math.log(2)
wrong("with log_prob",
      call("(float[1,2] x, int64[1] l) => (float y, float[1,2] p) { y, p = SoftmaxCrossEntropyLoss(x, l) }",
                            [0, 0], [0]), ([half], [-half, -half]), seen=Refused())
right("without", call("(float[1,2] x, int64[1] l) => (float y) { y = SoftmaxCrossEntropyLoss(x, l) }", [0, 0], [0]),
      [half])
verdict()

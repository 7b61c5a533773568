"""
title: SoftmaxCrossEntropyLoss returns -0 for targets of class 0; minus the logarithm of its share is right.
library: openvino
shows: 2024.6.0
until: 2024.6.0 (2025.2.0 is right)
class: bug
condition: The target is class 0.
rule: ONNX SoftmaxCrossEntropyLoss-13.
documented: data/quirks.tsv, SoftmaxCrossEntropyLoss
tracker: none found
"""
import math

from library import model, right, run, verdict, wrong


def loss(target):
    m = model('(float[1,2] x, int64[1] t) => (float[1] y) { y = SoftmaxCrossEntropyLoss<reduction = "none">(x, t) }')
    return lambda: run(m, [0, 1], [target])


total = math.log(1 + math.e)
wrong("class 0", loss(0), [total], seen=[0])
right("class 1", loss(1), [total - 1])
verdict()

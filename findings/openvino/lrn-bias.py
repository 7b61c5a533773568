"""
title: LRN cuts bias to a whole number: with bias 0.5 it computes with 0, with 1.5 with 1.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: bias is no whole number.
rule: ONNX LRN-13, formula: (bias + alpha / size * square_sum) ^ beta.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import model, right, run, verdict, wrong


def lrn(bias):
    m = model("(float[1,1,1,1] x) => (float[1,1,1,1] y) { y = LRN<size = 1, alpha = 0.5, bias = %.1f>(x) }" % bias)
    return lambda: run(m, [1])


# 1 / (bias + 0.5)^0.75
wrong("bias 0.5", lrn(0.5), [1], seen=[0.5 ** -0.75])
wrong("bias 1.5", lrn(1.5), [2 ** -0.75], seen=[1.5 ** -0.75])
right("bias 1", lrn(1), [1.5 ** -0.75])
right("bias 2", lrn(2), [2.5 ** -0.75])
verdict()

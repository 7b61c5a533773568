"""
title: Mul behind Conv is taken for a factor of each channel, whatever axes its factors have.
library: onnxslim
shows: 0.1.98
class: bug
condition: as many factors along another axis as there are channels; pattern FusionConvMul.
rule: ONNX Mul: one axis of factors stands for the last axis of the tensor.
documented: data/quirks.tsv, Conv
tracker: none found
"""
from library import call, right, verdict, wrong

TEXT = ("(float[1, 2, 2] x) => (float[1, 2, 2] y) <float[2, 2, 1] w = {1, 0, 0, 1}, float%s f = {1, 10}> "
        "{ t = Conv(x, w) y = Mul(t, f) }")
X = [[[1, 2], [3, 4]]]

wrong("of each column", call(TEXT % "[2]", X), [[[1, 20], [3, 40]]], seen=[[[1, 2], [30, 40]]])
right("of each channel", call(TEXT % "[2, 1]", X), [[[1, 2], [30, 40]]])
verdict()

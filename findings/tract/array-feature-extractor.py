"""
title: ArrayFeatureExtractor of a tensor with one axis gives one axis; ONNX's own evaluator gives two, the first of
    size 1.
library: tract
shows: 0.23.9
class: difference
condition: The data have one axis.  With two or more it is the same.
rule: ONNX ai.onnx.ml ArrayFeatureExtractor-1 has no word about the shape; the comment of ONNX's own evaluator says
    that two axes follow ONNX Runtime.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import array, model, right, run, verdict, wrong


def picked(shape, result):
    m = model("(float[%s] x) => (float[%s] y) <int64[2] i = {2, 0}> { y = ai.onnx.ml.ArrayFeatureExtractor(x, i) }"
              % (shape, result), ml=1)
    return lambda: run(m, [4, 5, 6])


wrong("one axis", picked("3", "a, b"), array([1, 2], [6, 4]), seen=array([2], [6, 4]))
right("two axes", picked("1, 3", "1, 2"), array([1, 2], [6, 4]))
verdict()

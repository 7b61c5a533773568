"""
title: The bias of LayerNormalization is rounded to steps of the input's scale times that of the factors.
library: onnxruntime
shows: 1.31.1
class: bug
condition: the QDQ form; large inputs.  A convolution's result grows with its input, and its bias has that step; here
    the result does not depend on the size of the input, and a bias below half a step is 0.
rule: ONNX LayerNormalization: Y = Normalized * Scale + B, where Normalized has the mean 0 and the variance 1.
documented: data/quirks.tsv, LayerNormalization
tracker: none found
"""
from library import call, right, verdict, wrong

TEXT = """(float[2] x) => (float[2] y) <float[2] s = {1, 1}, float[2] b = {1, 1}> { y = LayerNormalization(x, s, b) }"""

wrong("inputs of a hundred thousand", call(TEXT, [0, 1e5], opset=19), [0, 2], seen=[0, 1], abs=0.02)
right("inputs of 10", call(TEXT, [0, 10], opset=19), [0, 2], abs=0.05)
verdict()

"""
title: An input that has a default is quantized as a constant: what is given for it is ignored.
library: onnxruntime
shows: 1.31.1
class: bug
condition: an initializer has the name of an input, and a node that is quantized reads it.  It stays an input.
rule: ONNX IR, initializers: one with the name of an input is the default of that input, and may be given.
documented: data/quirks.tsv, BatchNormalization
tracker: none found
"""
import numpy as np

from library import call, right, verdict, wrong

TEXT = "(float[2] x, float[2] d) => (float[2] y) <float[2] d = {1, 2}> { y = Add(x, d) }"


def given(text, x, d):
    return call(text, x, opset=19, more={"d": np.float32(d)})


wrong("4 and 8 in the place of 1 and 2", given(TEXT, [0, 1], [4, 8]), [4, 9], seen=[1, 3], abs=0.1)
right("the defaults", given(TEXT, [0, 1], [1, 2]), [1, 3], abs=0.1)
verdict()

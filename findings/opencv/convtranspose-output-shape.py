"""
title: ConvTranspose with output_shape and strides of 1 gives a row and a column too much.
library: OpenCV
shows: 5.0.0
class: bug
condition: output_shape is what comes out without paddings, strides are 1.
rule: ONNX ConvTranspose: output_shape is the shape of the result's spatial axes.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import array, call, right, verdict, wrong

TEXT = ("(float[1, 1, 1, 1] x) => (float[1, 1, 1, 1] y) <float[1, 1, 1, 1] w = {2}> "
        "{ y = ConvTranspose<strides = [1, 1]%s>(x, w) }")

wrong("output_shape", call(TEXT % ", output_shape = [1, 1]", [3], opset=13), array((1, 1, 1, 1), [6]))
right("none", call(TEXT % "", [3], opset=13), array((1, 1, 1, 1), [6]))
verdict()

"""
title: ConvTranspose whose output_shape is smaller than its input ends in IndexError.
library: onnxslim
shows: 0.1.98
class: bug
condition: an axis of output_shape is smaller than the input's: ONNX's shape inference leaves the output without a
    shape then, though the model is valid, and ONNX Runtime runs it.
rule: ONNX ConvTranspose: output_shape sets the sizes of the spatial axes, from which the padding follows.
documented: docs/campaign.md, the rewriters
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(float[1, 1, 1, 2] x) => (float[1, 1, 1, %d] y) <float[1, 1, 1, 1] w = {2}> { y = ConvTranspose%s(x, w) }"
X = [[[[1, 3]]]]

wrong("smaller", call(TEXT % (1, "<output_shape = [1, 1]>"), X, opset=13), 2, seen=Refused("IndexError"))
right("of the same size", call(TEXT % (2, "<output_shape = [1, 2]>"), X, opset=13), [2, 6])
verdict()

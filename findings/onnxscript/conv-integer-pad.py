"""
title: Pad with 0 before ConvInteger is taken for its padding, which is the zero point and not 0.
library: onnxscript
shows: 0.7.2
class: bug
condition: ConvInteger with an x_zero_point other than 0 behind a Pad with 0 of the axes behind the second; rule
    FuseConvIntegerPad.
rule: ONNX's test convinteger_with_padding, and its evaluator: pads adds what is 0 when the zero point has been taken
    off; the text of ConvInteger-10 does not say what it adds.  Pad-13 adds the number 0, which is not 0 then.
documented: docs/fusions.md, onnxscript 0.7.2
tracker: none found
"""
from library import call, right, verdict, wrong

TEXT = ("(uint8[1, 1, 1, 1] x) => (int32[1, 1, 1, 2] y) "
        "<uint8 z = {%d}, int64[8] p = {0, 0, 0, 1, 0, 0, 0, 0}, int8[1, 1, 1, 1] w = {1}> "
        "{ t = Pad(x, p) y = ConvInteger(t, w, z) }")
X = [[[[7]]]]

wrong("zero point 5", call(TEXT % 5, X), [[[[-5, 2]]]], seen=[[[[0, 2]]]])
right("zero point 0", call(TEXT % 0, X), [[[[0, 7]]]])
verdict()

"""
title: Conv with auto_pad and dilations gets paddings that are too small.
library: onnxscript
shows: 0.7.2
class: bug
condition: auto_pad SAME_UPPER or SAME_LOWER with dilations above 1, and sizes that are known; rules
    NormalizePadFormatConv and NormalizePadFormatConvInteger.
rule: ONNX Conv-11: SAME pads so that the output has ceil(input / stride) places; a filter with gaps is wider.
documented: docs/fusions.md, onnxscript 0.7.2
tracker: https://github.com/microsoft/onnxscript/pull/3037, merged after 0.7.2
"""
from library import call, right, verdict, wrong

TEXT = ("(float[1, 1, 5] x) => (float[1, 1, 5] y) <float[1, 1, 3] w = {1, 1, 1}> "
        "{ y = Conv<auto_pad = \"SAME_UPPER\", dilations = [%d]>(x, w) }")
X = [[[1, 2, 3, 4, 5]]]

wrong("every second", call(TEXT % 2, X), [[[4, 6, 9, 6, 8]]], seen=[[[6, 9, 6]]])
right("every one", call(TEXT % 1, X), [[[3, 6, 9, 12, 9]]])
verdict()

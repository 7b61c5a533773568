"""
title: QuantizeLinear and DequantizeLinear before opset 19 get float16, which they do not have.
library: onnxconverter-common
shows: 1.16.0
class: bug
condition: keep_io_types; opset 18 or before; the same with DynamicQuantizeLinear and QLinearConv in every opset.
rule: ONNX QuantizeLinear-13: x is float32 or int32.
documented: data/quirks.tsv, QuantizeLinear
tracker: none found; https://github.com/microsoft/onnxconverter-common/pull/190 (merged) says that every operator
    outside of the block list is taken to have float16
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(float[2] x) => (uint8[2] y) <float s = {0.5}, uint8 z = {0}> { y = QuantizeLinear(x, s, z) }"

wrong("opset 13", call(TEXT, [1, 2], opset=13), [2, 4], seen=Refused("float16"))
right("opset 19", call(TEXT, [1, 2], opset=19), [2, 4])
verdict()

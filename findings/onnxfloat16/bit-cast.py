"""
title: BitCast between 32-bit types gets a float16, which has another width.
library: onnxconverter-common
shows: 1.16.0
class: bug
condition: keep_io_types; BitCast is not in the block list.
rule: ONNX BitCast: both types have the same width.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(float[2] x) => (int32[2] y) { y = %s<to = 6>(x) }"

wrong("BitCast", call(TEXT % "BitCast", [1, 2], opset=26), [0x3f800000, 0x40000000], seen=Refused())
right("Cast", call(TEXT % "Cast", [1, 2], opset=26), [1, 2])
verdict()

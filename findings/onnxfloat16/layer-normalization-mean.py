"""
title: Mean and InvStdDev of LayerNormalization, which stay float32, are taken for float16.
library: onnxconverter-common
shows: 1.16.0
class: bug
condition: the second or third output is used, and stash_type is 1, its default; the first output alone is right.
rule: ONNX LayerNormalization-17: Mean and InvStdDev have the type of stash_type, float32 by default.
documented: data/quirks.tsv, LayerNormalization
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(float[1, 2] x) => (float[1, 2] y%s) <float[2] s = {1, 1}> { y%s = LayerNormalization(x, s) }"

wrong("with the mean", call(TEXT % (", float[1, 1] m", ", m"), [[1, 3]], opset=17), ([[-1, 1]], [[2]]), rel=1e-3,
      seen=Refused("elem type differs"))
right("without", call(TEXT % ("", ""), [[1, 3]], opset=17), [[-1, 1]], rel=1e-3)
verdict()

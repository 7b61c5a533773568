"""
title: beta of Gemm is dropped where its bias is quantized.
library: onnxruntime
shows: 1.31.1
class: bug
condition: the QDQ form, Gemm with a constant C and a beta other than 1: beta becomes 1 and C stays as it is.
rule: ONNX Gemm: "Y = alpha * A' * B' + beta * C".
documented: data/quirks.tsv, Gemm
tracker: none found
"""
from library import call, right, verdict, wrong

TEXT = """(float[2, 1] x) => (float[2, 1] y) <float[1, 1] w = {1}, float[1] c = {1}>
    { y = Gemm<beta = %s>(x, w, c) }"""
X = [[0], [1]]

wrong("beta = 0.5", call(TEXT % "0.5", X, opset=19), [0.5, 1.5], seen=[1, 1.5], abs=0.01)
right("beta = 1", call(TEXT % "1.0", X, opset=19), [1, 2], abs=0.01)
FLOAT = {"op_types_to_quantize": ["Conv"]}
right("beta = 0.5, Gemm in float32", call(TEXT % "0.5", X, opset=19, given=FLOAT), [0.5, 1.5])
verdict()

"""
title: A Transpose without perm before Gemm is refused, though perm has a default.
library: onnxsim
shows: 0.8.1
class: bug
condition: perm is left out; pass fuse_transpose_into_gemm, as in onnxoptimizer.
rule: ONNX Transpose: perm is optional; by default the order of the axes is reversed.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(float[1, 2] x, float[3, 2] w) => (float[1, 3] y) { t = Transpose%s(w) y = Gemm(x, t) }"
X, W = [[1, 2]], [[1, 2], [3, 4], [5, 6]]

wrong("perm left out", call(TEXT % "", X, W, opset=13), [5, 11, 17], seen=Refused("perm"))
right("perm given", call(TEXT % "<perm = [1, 0]>", X, W, opset=13), [5, 11, 17])
verdict()

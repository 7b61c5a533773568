"""
title: MatMul of int64 gives memory that nobody set.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine, int64, four axes; two axes are refused.  int32 is refused as a type that it does not
    have, float32 is right; Gemm of int64 is wrong, too (`gemm-int64`).
rule: ONNX MatMul-13: the product; int64 is one of its types.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import call, right, verdict, wrong

TEXT = "(%s[1,1,2,2] x, %s[1,1,2,2] z) => (%s[1,1,2,2] y) { y = MatMul(x, z) }"

wrong("int64", call(TEXT % (("int64",) * 3), [1, 2, 3, 4], [5, 6, 7, 8]), [19, 22, 43, 50])
right("float32", call(TEXT % (("float",) * 3), [1, 2, 3, 4], [5, 6, 7, 8]), [19, 22, 43, 50])
verdict()

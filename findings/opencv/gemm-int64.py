"""
title: Gemm of int64 gives numbers that have nothing to do with the product.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine, int64.  int32 is refused as a type that it does not have, float32 is right.
rule: ONNX Gemm-13: Y = alpha * A * B + beta * C, of int64 as of the other types.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import call, right, verdict, wrong


def gemm(kind):
    return call("(%s[2,2] a) => (%s[2,2] y) <%s[2,2] b = {1, 2, 3, 4}> { y = Gemm(a, b) }" % (kind, kind, kind),
                [1, 0, 0, 1])


wrong("int64, the unit matrix times b", gemm("int64"), [1, 2, 3, 4])
right("float32", gemm("float"), [1, 2, 3, 4])
verdict()

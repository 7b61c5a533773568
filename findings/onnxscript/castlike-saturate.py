"""
title: CastLike with saturate=0 becomes a Cast that saturates: 1000000 in float8e5m2 is 57344, not infinite.
library: onnxscript
shows: 0.7.2
class: bug
condition: saturate is 0 and the type a float8; without the attribute the result is right.
rule: ONNX CastLike-19: saturate defines how the conversion behaves where a number is out of range; with 0, one beyond
    float8e5m2 is infinite.
documented: data/quirks.tsv, CastLike
tracker: none found
"""
import math

from library import call, right, verdict, wrong

TEXT = ("(float[1] x, float[1] z) => (float[1] y) "
        "{ like = Cast<to = 19>(z) t = CastLike%s(x, like) y = Cast<to = 1>(t) }")

wrong("saturate=0", call(TEXT % "<saturate = 0>", [1e6], [1], opset=19, ir=9), [math.inf], seen=[57344])
right("left out", call(TEXT % "", [1e6], [1], opset=19, ir=9), [57344])
verdict()

"""
title: Slice backward of a part of a tensor with five axes or more kills the process.
library: rten
shows: 0.27.0
class: bug
condition: five axes or more, a negative step, and the result is not the whole axis.
rule: ONNX Slice-13: a negative step slices backward, for any rank.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import Died, call, right, verdict, wrong

TEXT = ("(float[%s3] x) => (float[%sn] y) <int64[1] s = {2}, int64[1] e = {%s}, int64[1] a = {-1}, int64[1] t = {-1}> "
        "{ y = Slice(x, s, e, a, t) }")


def backward(axes, end):
    ones = "1, " * (axes - 1)
    return call(TEXT % (ones, ones, end), [1, 2, 3], opset=13)


wrong("five axes", backward(5, "0"), [3, 2], seen=Died("SIGABRT"))
right("four axes", backward(4, "0"), [3, 2])
right("the whole axis", backward(5, "-9223372036854775808"), [3, 2, 1])
verdict()

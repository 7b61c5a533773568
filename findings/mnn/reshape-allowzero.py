"""
title: Reshape with allowzero gives nothing; a tensor without elements is right.
library: MNN
shows: 3.6.1
class: bug
condition: allowzero = 1 and a 0 in the shape that is not at a 0 of the input.
rule: ONNX Reshape-14, attribute allowzero.
documented: data/quirks.tsv, Reshape
tracker: none found
"""
from library import Refused, array, call, right, verdict, wrong

wrong("0 x 3 to 3 x 0",
      call("(float[0,3] x) => (float[3,0] y) <int64[2] s = {3, 0}> { y = Reshape<allowzero = 1>(x, s) }",
                             [], opset=14), array([3, 0], []), seen=Refused("no outputs"))
right("2 x 3 to 3 x 2",
      call("(float[2,3] x) => (float[3,2] y) <int64[2] s = {3, 2}> { y = Reshape<allowzero = 1>(x, s) }",
                             range(6), opset=14), array([3, 2], range(6)))
verdict()

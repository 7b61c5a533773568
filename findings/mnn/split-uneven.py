"""
title: Split into num_outputs parts that do not divide the axis rounds down, and loses the rest.
library: MNN
shows: 3.6.1
class: bug
condition: The axis is not divisible by num_outputs.
rule: ONNX Split-18, attribute num_outputs: the last part is smaller.
documented: data/quirks.tsv, Split
tracker: none found
"""
from library import array, call, right, verdict, wrong

def split(n, last):
    return call("(float[%d] x) => (float[2] a, float[2] b, float[%d] c) "
                "{ a, b, c = Split<num_outputs = 3>(x) }" % (n, last),
                range(n), opset=18)


wrong("5 into 3", split(5, 1), (array([2], [0, 1]), array([2], [2, 3]), array([1], [4])))
right("6 into 3", split(6, 2), (array([2], [0, 1]), array([2], [2, 3]), array([2], [4, 5])))
verdict()

"""
title: ConstantOfShape without value is refused.
library: OpenCV
shows: 5.0.0
class: bug
condition: The attribute is left out; with it the same model is right.
rule: ONNX ConstantOfShape-9: value, "if not specified, it defaults to a tensor of value 0 and datatype float32".
documented: data/quirks.tsv, ConstantOfShape
tracker: none found; https://github.com/opencv/opencv/issues/26112 asks that ConstantOfShape conform
"""
from library import Refused, call, right, verdict, wrong


def filled(attribute):
    text = "(float[2, 3] x) => (float[a, b] y) { s = Shape(x) c = ConstantOfShape%s(s) y = Add(x, c) }"
    return call(text % attribute, [[1, 2, 3], [4, 5, 6]])


wrong("no value", filled(""), [[1, 2, 3], [4, 5, 6]], seen=Refused("blobs.size() == 1"))
right("value 0", filled("<value = float[1] {0}>"), [[1, 2, 3], [4, 5, 6]])
verdict()

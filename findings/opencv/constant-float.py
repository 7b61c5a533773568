"""
title: A Constant told by value_float is refused.
library: OpenCV
shows: 5.0.0
class: bug
condition: The classic engine, which also reads what the new one does not.
rule: ONNX Constant-13: value, value_float, value_int and others are equal ways to tell it.
documented: data/quirks.tsv, Constant
tracker: none found
"""
import cv2

from library import Refused, call, right, verdict, wrong

def constant(told):
    return call("(float[2] x) => (float[2] y) { c = Constant<%s>() y = Add(x, c) }" % told, [1, 2],
                engine=cv2.dnn.ENGINE_CLASSIC)


wrong("value_float", constant("value_float = 1.0"), [2, 3], seen=Refused("blobs.size() == 1"))
right("value", constant("value = float[1] {1}"), [2, 3])
verdict()

"""
title: ConstantOfShape without a value gives float64; float32 is right.
library: tract
shows: 0.23.9
class: bug
condition: The attribute value is left out.  Where the shape is no constant the model is refused for it.
rule: ONNX ConstantOfShape-9, attribute value: "float32 by default".
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
import numpy as np

from library import Refused, array, model, right, run, verdict, wrong


def zeros(value):
    m = model("(float[2] x) => (float[2] y) <int64[1] s = {2}> { c = ConstantOfShape%s(s) y = Add(c, x) }" % value)
    return lambda: run(m, [1, 2])


open_shape = model("(int64[1] s) => (float[n] y) { y = ConstantOfShape(s) }")
wrong("no value", zeros(""), array([2], [1, 2]), seen=array([2], [1, 2], np.float64))
wrong("no value, the shape an input", lambda: run(open_shape, [2]), array([2], [0, 0]), seen=Refused("ConstantOfShape"))
right("a value", zeros("<value = float[1] {0}>"), array([2], [1, 2]))
verdict()

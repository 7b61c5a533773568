"""
title: Conv and MaxPool of a constant are refused.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine, the data is a constant: "inpshape.layout == DATA_LAYOUT_BLOCK".  Relu of a constant is right,
    and so is Conv of an input.
rule: ONNX IR: any input of a node may be an initializer.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import Refused, call, right, verdict, wrong

def node(text):
    return call("""(float[1,1,1,1] z) => (float[1,1,1,1] y) <float[1,1,1,1] x = {2}, float[1,1,1,1] w = {3}>
        { %s }""" % text, [1])


wrong("Conv", node("t = Conv(x, w) y = Add(t, z)"), [7], seen=Refused("DATA_LAYOUT_BLOCK"))
wrong("MaxPool", node("t = MaxPool<kernel_shape = [1,1]>(x) y = Add(t, z)"), [3], seen=Refused("DATA_LAYOUT_BLOCK"))
right("Relu", node("t = Relu(x) y = Add(t, z)"), [3])
right("Conv of an input", node("y = Conv(z, w)"), [3])
verdict()

"""
title: Pad of opset 2 ignores its attribute value: it pads with 0.
library: MNN
shows: 3.6.1
class: bug
condition: Opset 2 to 10, where value is an attribute, and value is not 0.
rule: ONNX Pad-2, attribute value.
documented: data/quirks.tsv, Pad
tracker: none found
"""
from library import call, right, verdict, wrong

def pad(value):
    return call("(float[1,1,1,1] x) => (float[1,1,1,3] y) "
                "{ y = Pad<pads = [0,0,0,1,0,0,0,1], value = %.1f>(x) }" % value,
                [5], opset=2, ir=3)


wrong("value 2", pad(2), [2, 5, 2], seen=[0, 5, 0])
right("value 0", pad(0), [0, 5, 0])
verdict()

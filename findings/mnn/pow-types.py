"""
title: Pow of float32 by int32 gives nothing ("Compute Shape Error").
library: MNN
shows: 3.6.1
class: bug
condition: The exponent has another type than the base.
rule: ONNX Pow-13: the types of base and exponent may differ.
documented: data/quirks.tsv, Pow
tracker: none found; https://github.com/alibaba/MNN/issues/1482 is about differing types in a TensorFlow model
"""
from library import Refused, call, right, verdict, wrong

def power(kind):
    return call("(float[2] x, %s[2] z) => (float[2] y) { y = Pow(x, z) }" % kind, [1, 2], [2, 3])


wrong("int32", power("int32"), [1, 8], seen=Refused("no outputs"))
right("float", power("float"), [1, 8])
verdict()

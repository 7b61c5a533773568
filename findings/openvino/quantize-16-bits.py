"""
title: QuantizeLinear to 16 bits with scale 1 and zero point 0 cuts fractions off: 0.9 becomes 0, 1 is right.
library: openvino
shows: 2026.1.0, 2026.4.1
since: 2026.1.0 (2026.0.0 is right)
class: bug
condition: uint16 or int16, a scale of 1 and a zero point of 0.  uint8, and other scales, are right.
rule: ONNX QuantizeLinear-21: the quotient is rounded to nearest even.
documented: data/quirks.tsv, QuantizeLinear
tracker: none found
"""
from library import model, right, run, verdict, wrong


def quantized(kind, scale):
    m = model("(float[4] x) => (%s[4] y) <float s = {%d}, %s z = {0}> { y = QuantizeLinear(x, s, z) }" % (kind, scale,
                                                                                                          kind),
              opset=21, ir=9)
    return lambda: run(m, [0.6, 0.9, 3.6, 7.8])


wrong("uint16, scale 1", quantized("uint16", 1), [1, 1, 4, 8], seen=[0, 0, 3, 7])
wrong("int16, scale 1", quantized("int16", 1), [1, 1, 4, 8], seen=[0, 0, 3, 7])
right("uint8, scale 1", quantized("uint8", 1), [1, 1, 4, 8])
right("uint16, scale 2", quantized("uint16", 2), [0, 0, 2, 4])
verdict()

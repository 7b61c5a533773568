"""
title: DequantizeLinear of uint8 in front of QuantizeLinear to int8 is refused; each of them alone is taken.
library: tract
shows: 0.23.9
class: bug
condition: The two have different types, uint8 and int8, and no node between them.
rule: ONNX DequantizeLinear-13 and QuantizeLinear-13.
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/sonos/tract/issues/1304
"""
from library import Refused, model, right, run, verdict, wrong


def requantized(first, second, between="Identity"):
    m = model("""(%s[3] x) => (%s[3] y) <float s = {0.5}, %s z = {0}, %s w = {0}>
        { d = DequantizeLinear(x, s, z) r = %s(d) y = QuantizeLinear(r, s, w) }""" % (first, second, first, second,
                                                                                      between))
    return lambda: run(m, [1, 2, 3])


wrong("uint8 to int8", requantized("uint8", "int8"), [1, 2, 3], seen=Refused())
wrong("int8 to uint8", requantized("int8", "uint8"), [1, 2, 3], seen=Refused())
right("uint8 to uint8", requantized("uint8", "uint8"), [1, 2, 3])
right("uint8 to int8, a Relu between them", requantized("uint8", "int8", "Relu"), [1, 2, 3])
verdict()

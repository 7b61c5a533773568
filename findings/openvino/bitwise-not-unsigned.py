"""
title: BitwiseNot of uint16 and uint32 is 0.
library: openvino
shows: 2024.6.0, 2025.3.0
until: 2025.3.0 (2025.4.1 is right)
class: bug
condition: uint16 or uint32.  uint8 and signed types are right.
rule: ONNX BitwiseNot-18.
documented: data/quirks.tsv, BitwiseNot
tracker: none found; https://github.com/openvinotoolkit/openvino/pull/32389 is about Convert, which made 0 of negative
    numbers
"""
from library import model, right, run, verdict, wrong


def bits(kind):
    m = model("(%s[2] x) => (%s[2] y) { y = BitwiseNot(x) }" % (kind, kind), opset=18)
    return lambda: run(m, [1, 2])


wrong("uint16", bits("uint16"), [2 ** 16 - 2, 2 ** 16 - 3], seen=[0, 0])
wrong("uint32", bits("uint32"), [2 ** 32 - 2, 2 ** 32 - 3], seen=[0, 0])
right("uint8", bits("uint8"), [254, 253])
right("int16", bits("int16"), [-2, -3])
verdict()

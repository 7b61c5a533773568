"""
title: BitShift of uint8 to the left returns 255 where bits leave at the top: 200 << 1 is 144.
library: openvino
shows: 2025.4.1, 2026.4.1
since: 2025.4.1 (2025.3.0 fails otherwise)
class: bug
condition: uint8, LEFT, and the shifted number does not fit.  Wider types are right.
rule: ONNX BitShift-11: the bits are moved; bits that leave the type are lost.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/openvinotoolkit/openvino/issues/35646 is about Mul of uint8
"""
from library import model, right, run, verdict, wrong


def shift(kind, values):
    m = model('(%s[2] x, %s[2] n) => (%s[2] y) { y = BitShift<direction = "LEFT">(x, n) }' % (kind, kind, kind))
    return lambda: run(m, values, [1, 1])


wrong("uint8, 200 and 3", shift("uint8", [200, 3]), [400 % 256, 6], seen=[255, 6])
right("uint8, 100 and 3", shift("uint8", [100, 3]), [200, 6])
right("uint16, 40000 and 3", shift("uint16", [40000, 3]), [80000 % 65536, 6])
verdict()

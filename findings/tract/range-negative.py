"""
title: Range with a negative step is refused; it is a valid model.
library: tract
shows: 0.23.9
class: bug
condition: start, limit and delta are constants, and delta is negative.
rule: ONNX Range-11: max(ceil((limit - start) / delta), 0) elements.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/sonos/tract/pull/1390 (merged) is about a negative step of Range as well
"""
from library import Refused, model, right, run, verdict, wrong


def numbers(start, limit, delta):
    m = model("""(int64 zero) => (int64[n] y) <int64 a = {%d}, int64 b = {%d}, int64 c = {%d}>
        { r = Range(a, b, c) y = Add(r, zero) }"""
              % (start, limit, delta))
    return lambda: run(m, 0)


wrong("3 to 0 by -1", numbers(3, 0, -1), [3, 2, 1], seen=Refused("Range"))
wrong("1 to 0 by -2", numbers(1, 0, -2), [1], seen=Refused("Range"))
right("0 to 5 by 2", numbers(0, 5, 2), [0, 2, 4])
verdict()

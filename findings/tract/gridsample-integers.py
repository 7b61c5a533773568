"""
title: GridSample with mode nearest passes integers and float64 through float32: 16777217 comes back as 16777216.
library: tract
shows: 0.23.9
class: bug
condition: int32, uint32, int64 and float64, numbers that float32 does not have.
rule: ONNX GridSample-20, which has all types among its types: mode nearest takes the number of the nearest place.
documented: docs/methods/fuzz.md, Found in MNN and tract on 19 November
tracker: none found
found: fuzz
"""
from library import model, right, run, verdict, wrong

exact = {"rel": 0, "abs": 0}


def nearest(kind, x):
    m = model('(%s[1,1,1,1] x, float[1,1,1,2] grid) => (%s[1,1,1,1] y) { y = GridSample<mode = "nearest">(x, grid) }'
              % (kind, kind), opset=20)
    return lambda: run(m, [x], [0, 0])


odd = 2 ** 24 + 1
for kind in "int32", "uint32", "int64", "double":
    wrong(kind, nearest(kind, odd), [odd], seen=[odd - 1], **exact)
    right(kind + ", a small number", nearest(kind, odd - 2), [odd - 2], **exact)
verdict()

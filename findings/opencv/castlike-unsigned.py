"""
title: CastLike of floats to uint32 or uint64 rounds instead of cutting off.
library: OpenCV
shows: 5.0.0
class: difference
condition: In the new engine, the second input is an input of the graph; where it is a constant, `castlike-constant` is
    about it.  To the other whole types fractions are cut off.  The library has no Cast to these two types.
rule: ONNX CastLike-15 is as Cast, whose text does not say what becomes of fractions
    (https://github.com/onnx/onnx/issues/3876); ONNX's own evaluator cuts them off, as the library does for other
    types.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import call, right, verdict, wrong

TEXT = "(float[1,4] x, {0}[1] k) => ({0}[1,4] y) {{ y = CastLike(x, k) }}"
VALUES = [0.5, 0.75, 1.5, 2.75]
for to in ("uint32", "uint64"):
    wrong(to, call(TEXT.format(to), VALUES, [1], opset=15), [[0, 0, 1, 2]], seen=[[1, 1, 2, 3]])
for to in ("int32", "int64", "uint8", "uint16"):
    right(to, call(TEXT.format(to), VALUES, [1], opset=15), [[0, 0, 1, 2]])
verdict()

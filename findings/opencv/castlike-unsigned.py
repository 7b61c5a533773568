"""
title: CastLike of floats to uint32 or uint64 rounds instead of cutting off.
library: OpenCV
shows: 5.0.0
class: bug
condition: In the new engine.  To the other whole types it cuts off; Cast to these two is not there.
rule: ONNX CastLike: as Cast, which cuts off what is behind the point.
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

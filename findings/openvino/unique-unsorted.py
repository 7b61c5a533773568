"""
title: Unique with sorted=0 of 3, 3, 2, 3 returns 3, 0 and counts 1, 1; 3, 2 and counts 3, 1 are right.
library: openvino
shows: 2025.2.0, 2026.4.1
since: 2025.2.0 (2024.6.0 fails otherwise)
class: bug
condition: sorted = 0 and no inverse_indices among the outputs.
rule: ONNX Unique-11, attribute sorted and output counts.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/openvinotoolkit/openvino/issues/31004 is about wrong results of Unique
"""
from library import model, right, run, verdict, wrong


def unique(is_sorted, outputs, names):
    m = model("(float[4] x) => (%s) { %s = Unique<sorted = %d>(x) }" % (outputs, names, is_sorted), opset=11)
    return lambda: run(m, [3, 3, 2, 3])


y, inverse, counts = "float[n] y", "int64[4] i", "int64[n] c"
wrong("sorted=0, values alone", unique(0, y, "y"), [3, 2], seen=[3, 0])
wrong("sorted=0, values and counts", unique(0, y + ", " + counts, "y, , , c"), ([3, 2], [3, 1]), seen=([3, 0], [1, 1]))
right("sorted=0, values, inverse indices and counts", unique(0, ", ".join([y, inverse, counts]), "y, , i, c"),
      ([3, 2], [0, 0, 1, 0], [3, 1]))
right("sorted=1, values and counts", unique(1, y + ", " + counts, "y, , , c"), ([2, 3], [1, 3]))
verdict()

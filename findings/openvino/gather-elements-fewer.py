"""
title: GatherElements with fewer indices than the data have places on another axis is refused; ONNX does not ask for
    as many.
library: openvino
shows: 2024.6.0, 2026.4.1
class: difference
condition: indices is smaller than data along an axis other than `axis`.
rule: ONNX GatherElements-13: the same rank; the output has the shape of indices.
documented: docs/methods/fuzz.md, What it found; data/quirks.tsv, GatherElements
tracker: none found
"""
from library import Refused, model, right, run, verdict, wrong


def gather(rows, columns):
    m = model("(float[3,2] x, int64[%d,%d] i) => (float[%d,%d] y) { y = GatherElements<axis = 0>(x, i) }"
              % (rows, columns, rows, columns))
    return lambda: run(m, [1, 2, 3, 4, 5, 6], [2] * rows * columns)


wrong("one column of two", gather(1, 1), [5], seen=Refused("GatherElements"))
right("all columns", gather(1, 2), [5, 6])
verdict()

"""
title: Tile with repeats that are an input returns memory that was not set; the repeated tensor is right.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: repeats is an input of the graph, the tensor has four axes, the first of a size above 1, and the last three
    are
    all repeated.  With a constant it is right.
rule: ONNX Tile-13, input repeats.
documented: data/quirks.tsv, Tile
tracker: none found
"""
import numpy as np

from library import model, right, run, verdict, wrong

x = np.arange(1, 121, dtype=np.float32).reshape(2, 3, 4, 5)


def tile(repeats, constant=False):
    want = np.tile(x, repeats)
    text = " <int64[4] r = {%s}>" % ", ".join(map(str, repeats)) if constant else ""
    m = model("(float[2,3,4,5] x%s) => (float%s y)%s { y = Tile(x, r) }"
              % ("" if constant else ", int64[4] r", list(want.shape), text))
    return (lambda: run(m, x) if constant else run(m, x, repeats)), want


wrong("[2, 2, 2, 2], an input", *tile([2, 2, 2, 2]))
wrong("[1, 2, 2, 2], an input", *tile([1, 2, 2, 2]))
right("[2, 2, 2, 2], a constant", *tile([2, 2, 2, 2], True))
right("[2, 1, 2, 2], an input", *tile([2, 1, 2, 2]))
verdict()

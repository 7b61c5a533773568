"""
title: Resize ignores antialias: half of 1, 2, 3, 4 is 1.5, 3.5 as without it; 1.625, 3.375 is right.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: antialias = 1 and an axis becomes smaller, mode linear or cubic.
rule: ONNX Resize-18, attribute antialias: the filter is stretched by 1 / scale.
documented: data/quirks.tsv, Resize
tracker: https://github.com/openvinotoolkit/openvino/issues/35893 (cubic)
"""
from library import model, right, run, verdict, wrong


def half(antialias):
    m = model("""(float[1,1,1,4] x) => (float[1,1,1,2] y) <float[4] s = {1, 1, 1, 0.5}>
        { y = Resize<mode = "linear", antialias = %d>(x, , s) }""" % antialias, opset=18)
    return lambda: run(m, [1, 2, 3, 4])


# A triangle four elements wide around 0.5: weights 1, 3, 3, 1 of 8 over elements -1 (which is element 0), 0, 1, 2.
wrong("antialias 1", half(1), [(1 * 1 + 3 * 1 + 3 * 2 + 1 * 3) / 8, (1 * 2 + 3 * 3 + 3 * 4 + 1 * 4) / 8],
      seen=[1.5, 3.5])
right("antialias 0", half(0), [1.5, 3.5])
verdict()

"""
title: Resize ignores exclude_outside.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: exclude_outside = 1 with mode cubic.
rule: ONNX Resize-13, attribute exclude_outside: weights outside of the tensor are 0, the others are made to sum to 1.
documented: data/quirks.tsv, Resize
tracker: none found
"""
from library import model, right, run, verdict, wrong


def resize(exclude):
    m = model("""(float[1,1,1,2] x) => (float[1,1,1,4] y) <float[4] s = {1, 1, 1, 2}>
        { y = Resize<mode = "cubic", exclude_outside = %d>(x, , s) }""" % exclude)
    return lambda: run(m, [0, 1])


def cubic(d):
    """The weight at distance d, coefficient -0.75."""
    d = abs(d)
    return 1.25 * d ** 3 - 2.25 * d ** 2 + 1 if d <= 1 else -0.75 * d ** 3 + 3.75 * d ** 2 - 6 * d + 3


def expected(exclude):
    out = []
    for i in range(4):
        at = (i + 0.5) / 2 - 0.5
        first = int(at // 1) - 1
        w = {k: cubic(at - k) for k in range(first, first + 4)}
        if exclude:
            w = {k: v for k, v in w.items() if k in (0, 1)}
        out.append(sum(v for k, v in w.items() if k >= 1) / sum(w.values()))
    return out


wrong("exclude_outside 1", resize(1), expected(True), seen=expected(False))
right("exclude_outside 0", resize(0), expected(False))
verdict()

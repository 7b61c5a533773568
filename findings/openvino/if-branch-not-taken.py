"""
title: If with a branch that is not taken and whose Split does not fit the tensor is refused; only the other branch
    counts.
library: openvino
shows: 2025.4.1, 2026.4.1
since: 2025.4.1 (2025.3.0 is right)
class: bug
condition: The branch splits 4 elements into 3 or 5 parts.  Into 2 parts it is right.
rule: ONNX If-16: one of the two graphs is run.
documented: data/quirks.tsv, Split
tracker: none found; https://github.com/openvinotoolkit/openvino/pull/18087 is about a constant condition
"""
from library import Refused, model, right, run, verdict, wrong


def first(parts):
    names = ", ".join("e%d" % i for i in range(parts))
    m = model("""(float[4] x, bool c) => (float[n] y) { y = If<then_branch = g () => (float[n] t) { t = Neg(x) },
        else_branch = h () => (float[n] e0) { %s = Split<num_outputs = %d>(x) }>(c) }""" % (names, parts), opset=18)
    return lambda: run(m, [1, 2, 3, 4], True)


wrong("5 parts in the other branch", first(5), [-1, -2, -3, -4], seen=Refused("The split number is invalid"))
right("2 parts in the other branch", first(2), [-1, -2, -3, -4])
verdict()

"""
title: Split with num_outputs that does not divide the axis is refused; the last part must be smaller.
library: openvino
shows: 2024.6.0, 2025.2.0
until: 2025.2.0 (2025.3.0 is right)
class: bug
condition: num_outputs does not divide the axis.
rule: ONNX Split-18, attribute num_outputs: the last chunk is smaller.
documented: data/quirks.tsv, Split
tracker: https://github.com/openvinotoolkit/openvino/issues/21175
"""
from library import Refused, model, right, run, verdict, wrong


def parts(n):
    names = ["p%d" % i for i in range(n)]
    m = model("(float[7] x) => (%s) { %s = Split<num_outputs = %d>(x) }"
              % (", ".join("float[n%d] p%d" % (i, i) for i in range(n)), ", ".join(names), n), opset=18)
    return lambda: run(m, range(7))


wrong("7 in 3", parts(3), ([0, 1, 2], [3, 4, 5], [6]), seen=Refused("evenly divisible"))
right("7 in 7", parts(7), tuple([i] for i in range(7)))
verdict()

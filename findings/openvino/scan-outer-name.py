"""
title: Scan is refused when its body reads a name of the graph around it.
library: openvino
shows: 2026.4.1
class: bug
condition: The body uses a tensor that is neither its input nor made in it.
rule: ONNX Scan-16: values from the enclosing scope are visible in the body.
documented: data/quirks.tsv, Scan
tracker: none found
"""
from library import Refused, model, right, run, verdict, wrong

TEXT = """(float[1] s, float[3, 1] x, float[1] k) => (float[1] last, float[3, 1] y) {
    %s last, y = Scan<num_scan_inputs = 1, body = b (float[1] a, float[1] v) => (float[1] o, float[1] z) {
        %s o = Add(a, t) z = Identity(o) }>(s, %s) }"""
inside, outside = model(TEXT % ("", "t = Mul(v, k)", "x")), model(TEXT % ("p = Mul(x, k)", "t = Identity(v)", "p"))
VALUES = [0], [[1], [2], [3]], [2]
SUMS = [12], [[2], [6], [12]]

wrong("the body reads k", lambda: run(inside, *VALUES), SUMS, seen=Refused("less than required"))
right("k is used outside", lambda: run(outside, *VALUES), SUMS)
verdict()

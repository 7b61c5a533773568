"""
title: Slice of opset 9 and before with a start below -n, n the size of the axis, is refused; the slice begins at 0.
library: tract
shows: 0.23.9
class: bug
condition: Slice-1, whose starts are an attribute.  Slice of opset 10 and after is right, and so is an end above n.
rule: ONNX Slice-1, "Similar to numpy", where x[-7:1] of two elements is x[0:1].
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import Refused, model, right, run, verdict, wrong


def rows(nodes, opset, count=1):
    m = model("(float[2,3] x) => (float[%d,3] y) %s" % (count, nodes), opset=opset)
    return lambda: run(m, range(6))


OLD = "{ y = Slice<axes = [0], starts = [%d], ends = [%d]>(x) }"
NEW = "<int64[1] s = {%d}, int64[1] e = {%d}> { y = Slice(x, s, e) }"

wrong("Slice-1, -7 to 1", rows(OLD % (-7, 1), 9), [0, 1, 2], seen=Refused("Slice1"))
wrong("Slice-1, -3 to 9", rows(OLD % (-3, 9), 9, 2), list(range(6)), seen=Refused("Slice1"))
right("Slice-1, -2 to 9", rows(OLD % (-2, 9), 9, 2), list(range(6)))
right("Slice-10, -7 to 1", rows(NEW % (-7, 1), 10), [0, 1, 2])
right("Slice-13, -7 to 1", rows(NEW % (-7, 1), 13), [0, 1, 2])
verdict()

"""
title: Slice of opset 9 and before without axes and with fewer starts than the data have axes is refused; the others
    are to be left alone.
library: tract
shows: 0.23.9
class: difference
condition: Slice-1, axes left out, fewer starts and ends than the data have axes.  Slice of opset 10 and after is
    right.
rule: ONNX Slice-1 says that axes left out are all axes, which wants as many starts; its own shape inference and
    evaluator take as many axes, from the first, as there are starts.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import Refused, model, right, run, verdict, wrong


def cut(nodes, opset, shape="1,3"):
    m = model("(float[2,3] x) => (float[%s] y) %s" % (shape, nodes), opset=opset)
    return lambda: run(m, range(6))


wrong("Slice-1, one start", cut("{ y = Slice<starts = [0], ends = [1]>(x) }", 9), [0, 1, 2], seen=Refused("Slice1"))
right("Slice-1, two starts", cut("{ y = Slice<starts = [0, 0], ends = [1, 2]>(x) }", 9, "1,2"), [0, 1])
right("Slice-1, one start, axes", cut("{ y = Slice<axes = [0], starts = [0], ends = [1]>(x) }", 9), [0, 1, 2])
right("Slice-10, one start", cut("<int64[1] s = {0}, int64[1] e = {1}> { y = Slice(x, s, e) }", 10), [0, 1, 2])
verdict()

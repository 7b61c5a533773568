"""
title: Valid nodes of older opsets are refused: TopK with an attribute k, Squeeze without axes, Pad with negative pads.
library: tract
shows: 0.23.9
class: bug
condition: TopK of opsets 7 to 9; Squeeze up to opset 12, axes left out; Pad of opsets 7 to 10, a negative number in
    pads.
rule: ONNX TopK-1 has k as an attribute; Squeeze-1 and 11 remove all axes of size 1 where axes is left out; Pad-2
    removes elements where pads is negative.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/sonos/tract/issues/1154 is about Squeeze-13 without axes
"""
from library import Refused, model, right, run, verdict, wrong


def node(text, shape, opset, x):
    m = model("(float[2,1,3] x) => (float[%s] y) { %s }" % (shape, text), opset=opset)
    return lambda: run(m, x)


x = [[[3, 1, 2]], [[6, 5, 4]]]
wrong("TopK-1", node("y, k = TopK<k = 1, axis = 2>(x)", "2,1,1", 9, x), [3, 6], seen=Refused("Topk"))
wrong("Squeeze-1 without axes", node("y = Squeeze(x)", "2,3", 9, x), [3, 1, 2, 6, 5, 4], seen=Refused("Squeeze"))
wrong("Pad-2 with a negative pad", node("y = Pad<pads = [0, 0, -1, 0, 0, 0]>(x)", "2,1,2", 9, x), [1, 2, 5, 4],
      seen=Refused("Pad"))
right("Squeeze-1 with axes", node("y = Squeeze<axes = [1]>(x)", "2,3", 9, x), [3, 1, 2, 6, 5, 4])
verdict()

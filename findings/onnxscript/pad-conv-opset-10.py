"""
title: The optimizer fails on Pad before Conv in models of opset 10 and before, where pads is an attribute.
library: onnxscript
shows: 0.7.2
class: bug
condition: Pad of a version before 11, with a Conv behind it.
rule: ONNX Pad-2: pads is an attribute, there is one input.
documented: data/quirks.tsv, Conv
tracker: none found; https://github.com/microsoft/onnxscript/issues/2838 is about negative pads in the same rule
"""
from library import Refused, call, right, verdict, wrong

HEAD = "(float[1, 1, 2] x) => (float[1, 1, 3] y) <float[1, 1, 1] w = {2}> "
OLD = HEAD + "{ t = Pad<pads = [0, 0, 1, 0, 0, 0]>(x) y = Conv(t, w) }"
NEW = HEAD + "{ p = Constant<value = int64[6] {0, 0, 1, 0, 0, 0}>() t = Pad(x, p) y = Conv(t, w) }"
X = [[[1, 2]]]

wrong("opset 10", call(OLD, X, opset=10), [[[0, 2, 4]]], seen=Refused("PassManager"))
right("opset 13", call(NEW, X, opset=13), [[[0, 2, 4]]])
verdict()

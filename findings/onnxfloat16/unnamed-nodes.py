"""
title: An input that two nodes without names read gets two casts with one name.
library: onnxconverter-common
shows: 1.16.0
class: bug
condition: keep_io_types; nodes have no names, and more than one reads the same input of the graph.
rule: ONNX IR: the names of nodes are optional; the outputs of nodes must be unique in a graph.
documented: data/quirks.tsv, Add
tracker: none found; https://github.com/microsoft/onnxconverter-common/pull/310 (open) is about the same names when a
    model is converted twice, and https://github.com/microsoft/onnxruntime/pull/27469 (merged) about nodes without names
    in ONNX Runtime's copy of the converter
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(float[2] x) => (float[2] y) { a = Neg(x) y = Add(a, x) }"

wrong("no names", call(TEXT, [1, 2], named=False), [0, 0], seen=Refused("single static assignment"))
right("names", call(TEXT, [1, 2]), [0, 0])
verdict()

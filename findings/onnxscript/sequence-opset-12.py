"""
title: ConcatFromSequence and SplitToSequence of opset 12 and before become nodes of opset 13.
library: onnxscript
shows: 0.7.2
class: bug
condition: an opset below 13, and new_axis = 1 or split.
rule: ONNX Unsqueeze-11 and Split-11: axes and split are attributes, there is one input.
documented: data/quirks.tsv, ConcatFromSequence
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

TEXT = ("(float[2] x) => (float[2, 2] y) "
        "{ s = SequenceConstruct(x, x) y = ConcatFromSequence<axis = 0, new_axis = 1>(s) }")

wrong("opset 12", call(TEXT, [1, 2], opset=12), [[1, 2], [1, 2]], seen=Refused("axes"))
right("opset 13", call(TEXT, [1, 2], opset=13), [[1, 2], [1, 2]])
verdict()

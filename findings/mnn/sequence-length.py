"""
title: SequenceLength gives a tensor of one axis; one without axes is right.
library: MNN
shows: 3.6.1
class: bug
condition: None.
rule: ONNX SequenceLength-11: a scalar.
documented: data/quirks.tsv, SequenceLength
tracker: none found
"""
from library import array, call, verdict, wrong

wrong("two elements", call("(float[2] x) => (int64 n) { s = SequenceConstruct(x, x) n = SequenceLength(s) }", [1, 2]),
      array([], [2], "int32"), seen=array([1], [2], "int32"))
verdict()

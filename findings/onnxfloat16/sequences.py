"""
title: A sequence of tensors that became float16 is still declared float32.
library: onnxconverter-common
shows: 1.16.0
class: bug
condition: keep_io_types; an output or a value inside is a sequence.
rule: ONNX SequenceConstruct: the sequence has the element type of its inputs.
documented: data/quirks.tsv, SequenceConstruct
tracker: none found; https://github.com/microsoft/onnxconverter-common/pull/210 (closed) is about sequences in the
    converter before 1.15
"""
from library import Refused, call, right, verdict, wrong

wrong("an output", call("(float[2] x) => (seq(float[2]) y) { y = SequenceConstruct(x) }", [1, 2]), [1, 2],
      seen=Refused("nference"))
right("no sequence", call("(float[2] x) => (float[2] y) { y = Identity(x) }", [1, 2]), [1, 2])
verdict()

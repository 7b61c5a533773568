"""
title: SequenceAt is refused, or wants an input that the model does not have; it is a valid model.
library: openvino
shows: 2026.1.0
since: 2026.1.0 (2026.0.0 says that it has no sequences)
until: 2026.1.0
class: bug
condition: Any sequence that the model makes, by SequenceConstruct or SequenceInsert.
rule: ONNX SequenceAt-11.
documented: data/quirks.tsv, SequenceAt
tracker: https://github.com/openvinotoolkit/openvino/pull/35711 (closed; SequenceInsert alone)
"""
from library import Refused, model, right, run, verdict, wrong


def second(text, names=""):
    m = model("(float[2] a, float[2] b%s) => (float[2] y) <int64 one = {1}> { %s }" % (names, text))
    return lambda: run(m, [1, 2], [3, 4], *([1] if names else []))


wrong("SequenceConstruct, a constant position", second("s = SequenceConstruct(a, b) y = SequenceAt(s, one)"), [3, 4],
      seen=Refused("inputs that the model does not have"))
wrong("SequenceConstruct, a position that is given",
      second("s = SequenceConstruct(a, b) y = SequenceAt(s, i)", ", int64 i"),
      [3, 4], seen=Refused("SequenceAt"))
wrong("SequenceInsert",
      second("s = SequenceEmpty() t = SequenceInsert(s, a) u = SequenceInsert(t, b) y = SequenceAt(u, one)"),
      [3, 4], seen=Refused())
right("no sequence", second("c = Concat<axis = 0>(a, b) z, y = Split(c)"), [3, 4])
verdict()

"""
title: SplitToSequence with a list of sizes makes a sequence of length 1.
library: iree-base-compiler
shows: 3.13.0
class: bug
condition: A list of sizes; a sequence of three tensors that SequenceConstruct made has the right length.
rule: ONNX SplitToSequence-11: where split is a list, the sequence has as many tensors as it has sizes.
documented: data/quirks.tsv, SplitToSequence
tracker: none found
"""
from library import SECONDS, call, right, verdict, wrong


LENGTH = """(float[6] x) => (int64 n) <int64[3] sizes = {1, 2, 3}>
    { parts = %s n = SequenceLength(parts) }"""
wrong("three sizes", call(LENGTH % "SplitToSequence<axis = 0>(x, sizes)", [1, 2, 3, 4, 5, 6]), [3], seen=[1],
      seconds=SECONDS)
right("three tensors", call(LENGTH % "SequenceConstruct(x, x, x)", [1, 2, 3, 4, 5, 6]), [3], seconds=SECONDS)
verdict()

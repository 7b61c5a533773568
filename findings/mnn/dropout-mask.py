"""
title: Dropout's mask has no shape ("Compute Shape Error"); it is all true when nothing is dropped.
library: MNN
shows: 3.6.1
class: bug
condition: The second output is asked for.
rule: ONNX Dropout-13, output mask.
documented: data/quirks.tsv, Dropout
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

wrong("with its mask", call("(float[2] x) => (float[2] y, bool[2] m) { z, m = Dropout(x) y = Abs(z) }", [1, 2]),
      ([1, 2], [1, 1]),
      seen=Refused("no outputs"))
right("without", call("(float[2] x) => (float[2] y) { z = Dropout(x) y = Abs(z) }", [1, 2]), [1, 2])
verdict()

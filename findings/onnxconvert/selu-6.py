"""
title: Selu of opset 5 and before without attributes gets the defaults of Selu-6, which are other numbers.
library: onnxconvert
shows: 1.23.2
class: precision
condition: alpha or gamma is left out.
rule: ONNX Selu-1 has alpha = 1.6732 and gamma = 1.0507 by default, Selu-6 1.67326319… and 1.05070102….
documented: data/quirks.tsv, Selu
tracker: none found
"""
from library import call, right, verdict, wrong

TEXT = "(float[1] x) => (float[1] y) { y = Selu%s(x) }"

wrong("the defaults of another version", call(TEXT % "", [-20], opset=1, to=6), [-1.75803125], seen=[-1.7580993])
right("attributes that are told", call(TEXT % "<alpha = 1.6732, gamma = 1.0507>", [-20], opset=1, to=6), [-1.75803125])
verdict()

"""
title: An input that has a default becomes a constant: it can no longer be given.
library: onnxslim
shows: 0.1.98
class: limit
condition: an initializer has the name of an input.  Meant so: the function that removes such inputs is called freeze.
    No option keeps them.
rule: ONNX IR, initializers: one with the name of an input is the default of that input, and may be given.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import model, onnxslim, right, verdict, wrong

TEXT = "(float[2] x, float[2] d) => (float[2] y) %s{ y = Add(x, d) }"


def inputs(text):
    m = model(text)
    return lambda: [len(onnxslim.slim(m).graph.input)]


wrong("an input with a default", inputs(TEXT % "<float[2] d = {1, 2}> "), 2, seen=1)
right("an input without a default", inputs(TEXT % ""), 2)
verdict()

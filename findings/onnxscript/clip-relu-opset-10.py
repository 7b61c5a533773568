"""
title: Relu after Clip in models of opset 10 and before becomes a Clip with bounds as inputs, which is not a model.
library: onnxscript
shows: 0.7.2
class: bug
condition: Clip of a version before 11, with a Relu behind it.
rule: ONNX Clip-6: min and max are attributes, there is one input.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxscript/issues/2836 is about a Clip without max in the same rule
"""
import onnx
from library import Refused, model, optimizer, right, verdict, wrong

TEXT = "(float[2] x) => (float[2] y) { %s }"
OLD = TEXT % "t = Clip<min = -1.0, max = 1.0>(x) y = Relu(t)"
NEW = "(float[2] x) => (float[2] y) <float a = {-1}, float b = {1}> { t = Clip(x, a, b) y = Relu(t) }"


def is_valid(text, opset):
    """A call that is 1 when ONNX's checker takes what the optimizer makes of the model."""
    m = model(text, opset=opset)
    onnx.checker.check_model(m)
    return lambda: [onnx.checker.check_model(optimizer.optimize(m)) is None]


wrong("opset 10", is_valid(OLD, 10), [1], seen=Refused("input size"))
right("opset 13", is_valid(NEW, 13), [1])
verdict()

"""
title: LayerNormalization with a constant Scale or B of one element reads what lies behind it in memory; it must serve
    all places.
library: MNN
shows: 3.6.1
class: bug
condition: Scale or B is a constant of fewer elements than the normalized axes: a scalar, or one element.  What comes
    out changes from run to run.  One element for each place is right, and so is one element that is an input.
rule: ONNX LayerNormalization-17: "tensors Scale and B should be unidirectional broadcastable to tensor X".
documented: docs/methods/fuzz.md, Found in MNN and tract on 19 November
tracker: none found
found: fuzz
"""
from library import call, right, verdict, wrong


def normalized(constants, inputs="x, s"):
    return call("(float[1,2] x) => (float[1,2] y) <%s> { y = LayerNormalization<epsilon = 0.75>(%s) }"
                % (constants, inputs), [0, 1], opset=17)


wrong("Scale is a scalar", normalized("float s = {1}"), [-0.5, 0.5])
wrong("Scale has one element", normalized("float[1] s = {1}"), [-0.5, 0.5])
wrong("B is a scalar", normalized("float[2] s = {1, 1}, float b = {5}", "x, s, b"), [4.5, 5.5])
right("Scale has two elements", normalized("float[2] s = {1, 1}"), [-0.5, 0.5])
right("Scale is an input", call("""(float[1,2] x, float[1] s) => (float[1,2] y)
    { y = LayerNormalization<epsilon = 0.75>(x, s) }""", [0, 1], [1], opset=17), [-0.5, 0.5])
verdict()

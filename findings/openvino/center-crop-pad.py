"""
title: CenterCropPad with a constant shape is refused: the compiled model wants an input that is inside of the operator.
library: openvino
shows: 2024.6.0, 2025.3.0
until: 2025.3.0 (2025.4.1 is right)
class: bug
condition: The shape is a constant.  As an input of the graph it is right.
rule: ONNX CenterCropPad-18.
documented: data/quirks.tsv, CenterCropPad
tracker: none found; https://github.com/openvinotoolkit/openvino/pull/31481 adds a translator of its own
"""
from library import Refused, model, right, run, verdict, wrong

constant = model("(float[4] x) => (float[2] y) <int64[1] s = {2}> { y = CenterCropPad(x, s) }", opset=18)
given = model("(float[4] x, int64[1] s) => (float[n] y) { y = CenterCropPad(x, s) }", opset=18)
wrong("2 of 4, a constant", lambda: run(constant, [1, 2, 3, 4]), [2, 3],
      seen=Refused("inputs that the model does not have"))
right("2 of 4, an input", lambda: run(given, [1, 2, 3, 4], [2]), [2, 3])
verdict()

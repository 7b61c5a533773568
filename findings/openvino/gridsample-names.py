"""
title: GridSample with mode linear or cubic is refused; these are the names since opset 20.
library: openvino
shows: 2024.6.0, 2026.1.0
until: 2026.1.0 (2026.4.1 is right)
class: bug
condition: Opset 20 and mode linear or cubic.  nearest, and bilinear of opset 16, are right.
rule: ONNX GridSample-20, attribute mode: "linear (default), nearest and cubic".
documented: data/quirks.tsv, GridSample
tracker: https://github.com/openvinotoolkit/openvino/issues/33531 (the fix is in pull/36070)
"""
from library import Refused, model, right, run, verdict, wrong


def sample(mode, opset):
    m = model("(float[1,1,2,2] x, float[1,1,1,2] grid) => (float[1,1,1,1] y) "
              "{ y = GridSample<mode = \"%s\">(x, grid) }" % mode,
              opset=opset, ir=9)
    return lambda: run(m, [1, 2, 3, 4], [0, 0])


wrong("linear, opset 20", sample("linear", 20), [2.5], seen=Refused("GridSample"))
right("bilinear, opset 16", sample("bilinear", 16), [2.5])
verdict()

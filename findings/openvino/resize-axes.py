"""
title: Resize with axes is refused; it is a valid model.
library: openvino
shows: 2024.6.0, 2025.3.0
until: 2025.3.0 (2025.4.1 is right)
class: bug
condition: axes does not name every axis.
rule: ONNX Resize-18, attribute axes.
documented: data/quirks.tsv, Resize
tracker: none found; https://github.com/microsoft/onnxruntime/issues/28788 is about negative axes
"""
from library import Refused, model, right, run, verdict, wrong


def resize(axes, scales):
    m = model("""(float[1,2] x) => (float[1,4] y) <float[%d] s = {%s}> { y = Resize<mode = "nearest"%s>(x, , s) }"""
              % (len(scales), ", ".join(map(str, scales)), axes), opset=18)
    return lambda: run(m, [1, 2])


wrong("axes [1]", resize(", axes = [1]", [2]), [1, 1, 2, 2], seen=Refused())
right("no axes", resize("", [1, 2]), [1, 1, 2, 2])
verdict()

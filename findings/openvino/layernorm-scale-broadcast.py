"""
title: LayerNormalization with a scale that broadcasts to the normalized axes, and is not as large, is refused.
library: openvino
shows: 2026.4.1
class: bug
condition: A scale, or bias, of another number of elements than the normalized axes have; a scalar, or 1 along an axis.
rule: ONNX LayerNormalization-17: Scale and B should be unidirectional broadcastable to X.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/openvinotoolkit/openvino/pull/32630 is about scales of another shape and as many
    elements
"""
from library import Refused, model, right, run, verdict, wrong


def norm(shape, numbers):
    m = model("""(float[1,2] x) => (float[1,2] y) <float%s scale = {%s}>
        { y = LayerNormalization<axis = 1, epsilon = 0.0>(x, scale) }""" % (shape, numbers), opset=17)
    return lambda: run(m, [1, 3])


wrong("a scalar", norm("", "2"), [-2, 2], seen=Refused("LayerNormalization"))
right("a scale for each element", norm("[2]", "2, 2"), [-2, 2])
verdict()

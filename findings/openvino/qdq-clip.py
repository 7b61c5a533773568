"""
title: Clip behind QuantizeLinear and DequantizeLinear returns the step below its bound; the bound itself is right.
library: openvino
shows: 2025.4.1, 2026.4.1
since: 2025.4.1 (2025.3.0 is right)
class: bug
condition: A bound is no multiple of the scale.
rule: ONNX Clip-13: numbers beyond a bound become the bound.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import model, right, run, verdict, wrong


def clipped(low, high):
    m = model("""(float[4] x) => (float[4] y) <float s = {0.5}, uint8 z = {0}, float low = {%s}, float high = {%s}>
        { q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) y = Clip(d, low, high) }""" % (low, high))
    return lambda: run(m, [0, 1, 2, 3])


wrong("0.7 to 1.6, steps of 0.5", clipped(0.7, 1.6), [0.7, 1, 1.6, 1.6], seen=[0.5, 1, 1.5, 1.5])
right("0.5 to 1.5, steps of 0.5", clipped(0.5, 1.5), [0.5, 1, 1.5, 1.5])
verdict()

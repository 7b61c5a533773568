"""
title: Pad behind QuantizeLinear and DequantizeLinear pads with minus scale times zero point; 0 is right.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: The padded axis has size 1 and the zero point is not 0.
rule: ONNX Pad-13, input constant_value: 0 unless given.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/openvinotoolkit/openvino/pull/37411 is about values that the quantized type does
    not have
"""
from library import model, right, run, verdict, wrong


def padded(size, zero):
    m = model("""(float[%d] x) => (float[%d] y) <float s = {0.5}, uint8 z = {%d}, int64[2] pads = {1, 1}>
        { q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) y = Pad(d, pads) }""" % (size, size + 2, zero))
    return lambda: run(m, list(range(1, size + 1)))


wrong("one element, zero point 4", padded(1, 4), [0, 1, 0], seen=[-2, 1, -2])
right("two elements, zero point 4", padded(2, 4), [0, 1, 2, 0])
right("one element, zero point 0", padded(1, 0), [0, 1, 0])
verdict()

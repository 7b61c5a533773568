"""
title: QuantizeLinear adds the zero point before it rounds, so that 0.5 becomes 1 + zero point; 0 + zero point is right.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: The quotient is a tie (0.5, 2.5, …) and the zero point is odd.
rule: ONNX QuantizeLinear-13: "saturate((x / y_scale) + y_zero_point)", the quotient is rounded to nearest even.
documented: docs/methods/fuzz.md, What it found; data/quirks.tsv, QuantizeLinear
tracker: https://github.com/microsoft/onnxruntime/issues/25045 (closed; about its OpenVINO provider)
"""
from library import model, right, run, verdict, wrong


def quantized(kind, zero, opset=13):
    m = model("(float[4] x) => (%s[4] y) <float s = {2}, %s z = {%d}> { y = QuantizeLinear(x, s, z) }" % (kind, kind,
                                                                                                          zero),
              opset=opset, ir=9)
    return lambda: run(m, [1, 3, 5, 6])


# 0.5, 1.5 and 2.5 round to 0, 2 and 2
wrong("uint8, zero point 1", quantized("uint8", 1), [1, 3, 3, 4], seen=[2, 2, 4, 4])
wrong("int8, zero point 3", quantized("int8", 3), [3, 5, 5, 6], seen=[4, 4, 6, 6])
wrong("uint16, zero point 1", quantized("uint16", 1, 21), [1, 3, 3, 4], seen=[2, 2, 4, 4])
right("uint8, zero point 2", quantized("uint8", 2), [2, 4, 4, 5])
right("uint8, zero point 0", quantized("uint8", 0), [0, 2, 2, 3])
verdict()

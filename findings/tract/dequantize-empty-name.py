"""
title: DequantizeLinear and QuantizeLinear with the zero point left out by an empty name are refused; they are valid
    models.
library: tract
shows: 0.23.9
class: bug
condition: A third input with an empty name.  With two inputs it is right.
rule: ONNX DequantizeLinear-13 and QuantizeLinear-13, inputs x_zero_point and y_zero_point, optional; ONNX IR, "Optional
    Inputs": an empty name means left out.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import Refused, model, right, run, verdict, wrong


def dequantized(inputs):
    m = model("(uint8[3] x) => (float[3] y) <float s = {0.5}> { y = DequantizeLinear(%s) }" % inputs)
    return lambda: run(m, [1, 2, 3])


def quantized(inputs):
    m = model("(float[3] x) => (float[3] y) <float s = {0.5}> { t = QuantizeLinear(%s) y = Cast<to = 1>(t) }" % inputs)
    return lambda: run(m, [0.5, 1, 1.5])


wrong("three inputs, the last without a name", dequantized('x, s, ""'), [0.5, 1, 1.5],
      seen=Refused("Wrong input number"))
wrong("QuantizeLinear, three inputs", quantized('x, s, ""'), [1, 2, 3], seen=Refused("Wrong input number"))
right("two inputs", dequantized("x, s"), [0.5, 1, 1.5])
right("QuantizeLinear, two inputs", quantized("x, s"), [1, 2, 3])
verdict()

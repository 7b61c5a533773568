"""
title: DequantizeLinear with its zero point left out by an empty name is refused; it is a valid model.
library: tract
shows: 0.23.9
class: bug
condition: A third input with an empty name.  With two inputs it is right.
rule: ONNX DequantizeLinear-13, input x_zero_point, optional; ONNX IR, "Optional Inputs": an empty name means left out.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import Refused, model, right, run, verdict, wrong


def dequantized(inputs):
    m = model("(uint8[3] x) => (float[3] y) <float s = {0.5}> { y = DequantizeLinear(%s) }" % inputs)
    return lambda: run(m, [1, 2, 3])


wrong("three inputs, the last without a name", dequantized('x, s, ""'), [0.5, 1, 1.5],
      seen=Refused("Wrong input number"))
right("two inputs", dequantized("x, s"), [0.5, 1, 1.5])
verdict()

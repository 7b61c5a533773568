"""
title: A constant of int8 behind DequantizeLinear whose zero point is left out by an empty name, and Transpose, is
    refused.
library: onnxruntime
shows: 1.31.1
class: bug
condition: A third input with an empty name, int8, Transpose and MatMul behind it, optimized as by default: the
    optimizer of Transposes writes a QuantizeLinear of uint8.  Without a third input, with a zero point, and of uint8 it
    is right.
rule: ONNX IR, "Optional Inputs": an empty name means that an input is left out.
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/microsoft/onnxruntime/issues/28716 has the message for a zero point that is left out
    (https://github.com/microsoft/onnxruntime/pull/29192, merged)
"""
from library import NONE, Refused, model, right, run, verdict, wrong


def product(zero, kind="int8", opset=13, **options):
    """By [[1, 2], [3, 4]] in steps of 0.5, transposed; `zero` has the names behind the scale."""
    m = model("""(float[1,2] x) => (float[1,2] y) <float s = {0.5}, %s z = {0}, %s[2,2] w = {1, 2, 3, 4}>
        { d = DequantizeLinear(w, s) t = Transpose(d) y = MatMul(x, t) }""" % (kind, kind), opset=opset, ir=9)
    m.graph.node[0].input.extend(zero)
    return lambda: run(m, [127, 127], **options)


# 127 * (0.5 + 1) and 127 * (1.5 + 2)
is_right, says = [190.5, 444.5], Refused("does not match expected type (tensor(uint8))")
wrong("an empty name", product([""]), is_right, seen=says)
wrong("an empty name, opset 21", product([""], opset=21), is_right, seen=says)
right("an empty name, not optimized", product([""], level=NONE), is_right)
right("an empty name, uint8", product([""], "uint8"), is_right)
right("nothing", product([]), is_right)
right("a zero point of 0", product(["z"]), is_right)
verdict()

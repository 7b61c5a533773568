"""
title: DequantizeLinear of int8 in front of a node that moves data is refused; it is a valid model.
library: onnxruntime
shows: 1.31.1
class: bug
condition: Opset 21 or newer, a zero point, optimized as by default, and Reshape, Slice, Transpose or Unsqueeze behind
    it:
    QDQS8ToU8Transformer writes a QuantizeLinear with output_dtype int8 and a zero point of uint8.
rule: ONNX DequantizeLinear-21 allows int8; opset 20 and uint8 are right.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxruntime/issues/25526 has the same message for a
    QuantizeLinear with output_dtype
"""
from library import NONE, Refused, model, right, run, verdict, wrong


def moved(node, shape, opset=21, kind="int8", **options):
    m = model("""(%s[4] x) => (float[%s] y) <float s = {0.5}, %s z = {3}, int64[2] square = {2, 2}, int64[1] zero = {0},
        int64[1] end = {4}> { d = DequantizeLinear(x, s, z) y = %s }""" % (kind, shape, kind, node), opset=opset, ir=9)
    return lambda: run(m, [1, 2, 3, 4], **options)


# 0.5 * (x - 3)
says = Refused("does not match y_zero_point type")
wrong("Reshape, opset 21", moved("Reshape(d, square)", "2,2"), [-1, -0.5, 0, 0.5], seen=says)
wrong("Slice, opset 21", moved("Slice(d, zero, end)", "4"), [-1, -0.5, 0, 0.5], seen=says)
wrong("Transpose, opset 21", moved("Transpose(d)", "4"), [-1, -0.5, 0, 0.5], seen=says)
wrong("Unsqueeze, opset 21", moved("Unsqueeze(d, zero)", "1,4"), [-1, -0.5, 0, 0.5], seen=says)
right("Reshape, opset 20", moved("Reshape(d, square)", "2,2", 20), [-1, -0.5, 0, 0.5])
right("Reshape, opset 21, uint8", moved("Reshape(d, square)", "2,2", kind="uint8"), [-1, -0.5, 0, 0.5])
right("Reshape, opset 21, not optimized", moved("Reshape(d, square)", "2,2", level=NONE), [-1, -0.5, 0, 0.5])
right("Relu, opset 21", moved("Relu(d)", "4"), [0, 0, 0, 0.5])
verdict()

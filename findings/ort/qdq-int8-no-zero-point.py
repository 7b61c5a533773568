"""
title: DequantizeLinear of int8 without a zero point, in front of a node that moves data, makes 0 of negative numbers.
library: onnxruntime
shows: 1.31.1
class: bug
condition: Below opset 21, or by DequantizeLinear of com.microsoft; Reshape, Slice, Transpose or Unsqueeze behind it;
    optimized as by default: QDQPropagationTransformer writes a QuantizeLinear without a zero point, which makes uint8.
    With a zero point of 0, and from opset 21 on, it is right.
rule: ONNX DequantizeLinear-13: y = (x - x_zero_point) * x_scale; the zero point is optional, 0 when it is left out.
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/microsoft/onnxruntime/issues/27845 (open;
    https://github.com/microsoft/onnxruntime/pull/28144, merged, is for opset 21 and newer)
"""
from onnx import helper

from library import NONE, model, right, run, verdict, wrong


def moved(node, shape="2,2", opset=13, zero="", domain="", **options):
    m = model("""(int8[2,2] x) => (float[%s] y)
        <float s = {0.5}, int8 z = {0}, int64[2] square = {2, 2}, int64[1] none = {0}, int64[1] two = {2}>
        { d = DequantizeLinear(x, s%s) y = %s }""" % (shape, zero, node), opset=opset, ir=9)
    if domain:
        m.opset_import.append(helper.make_opsetid(domain, 1))
        m.graph.node[0].domain = domain
    return lambda: run(m, [-4, 2, -3, 1], **options)


is_right, seen = [-2, 1, -1.5, 0.5], [0, 1, 0, 0.5]
wrong("Reshape", moved("Reshape(d, square)"), is_right, seen=seen)
wrong("Slice", moved("Slice(d, none, two)"), is_right, seen=seen)
wrong("Unsqueeze", moved("Unsqueeze(d, none)", "1,2,2"), is_right, seen=seen)
wrong("Transpose", moved("Transpose(d)"), [-2, -1.5, 1, 0.5], seen=[0, 0, 1, 0.5])
wrong("Reshape, opset 20", moved("Reshape(d, square)", opset=20), is_right, seen=seen)
wrong("Reshape, opset 21, com.microsoft", moved("Reshape(d, square)", opset=21, domain="com.microsoft"), is_right,
      seen=seen)
right("Reshape, opset 21", moved("Reshape(d, square)", opset=21), is_right)
right("Reshape, a zero point of 0", moved("Reshape(d, square)", zero=", z"), is_right)
right("Reshape, not optimized", moved("Reshape(d, square)", level=NONE), is_right)
right("Relu", moved("Relu(d)"), [0, 1, 0, 0.5])
verdict()

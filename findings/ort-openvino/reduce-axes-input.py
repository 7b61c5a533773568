"""
title: ReduceLogSum whose axes, two or more, are an input of the graph is refused.
library: onnxruntime-openvino
shows: 1.24.1
class: limit
condition: The axes are an input of the graph with two numbers or more, and keepdims is 0; ONNX
    Runtime's own kernels take them.
rule: ONNX ReduceLogSum-18, input axes: an optional input, not a constant.
documented: data/quirks.tsv, ReduceLogSum
tracker: none found; https://github.com/microsoft/onnxruntime/issues/23757 (closed) is about If with a dynamic rank
"""
from library import Refused, call, right, verdict, wrong

INPUT = """(float[1,1,2] x, int64[2] axes) => (float[2] y) { y = ReduceLogSum<keepdims = 0>(x, axes) }"""
CONSTANT = """(float[1,1,2] x) => (float[2] y) <int64[2] axes = {0, 1}> { y = ReduceLogSum<keepdims = 0>(x, axes) }"""

wrong("an input", call(INPUT, [1, 1], [0, 1], opset=18), [0, 0], seen=Refused("dynamic rank"))
right("an input, ONNX Runtime's own kernel", call(INPUT, [1, 1], [0, 1], opset=18, provider="CPU"), [0, 0])
right("a constant", call(CONSTANT, [1, 1], opset=18), [0, 0])
verdict()

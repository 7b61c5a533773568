"""
title: Sum, Max and Min of one input leave the output unset; it is the input.
library: onnxruntime-openvino
shows: 1.24.1
class: bug
condition: The input and the output of the node are those of the graph.
rule: ONNX Sum-13, Max-13, Min-13: one to 2147483647 inputs.
documented: docs/backends.md, Execution providers of ONNX Runtime
tracker: none found
"""
from library import call, right, verdict, wrong


def one(op, **options):
    return call("(float[3] x) => (float[3] y) { y = %s(x) }" % op, [3, 7, 2], **options)


for name in ("Sum", "Max", "Min"):
    wrong(name, one(name), [3, 7, 2])
    right(name + ", ONNX Runtime's own kernel", one(name, provider="CPU"), [3, 7, 2])
right("of another node", call("(float[3] x) => (float[3] y) { t = Relu(x) y = Sum(t) }", [3, 7, 2]), [3, 7, 2])
verdict()

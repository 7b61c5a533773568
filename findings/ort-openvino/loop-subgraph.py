"""
title: A Loop that carries a tensor is refused.
library: onnxruntime-openvino
shows: 1.24.1
class: bug
condition: The body computes with what the library gives to OpenVINO; OpenVINO then gets the Loop, with an operator of
    com.intel.ai in its body, and does not know it.
rule: ONNX Loop-11: the body is any graph.
documented: data/quirks.tsv, Loop
tracker: none found; https://github.com/microsoft/onnxruntime/issues/31713 is about the same with MIGraphX, and
    https://github.com/microsoft/onnxruntime/pull/12692 (merged) with TensorRT
"""
from library import Refused, call, right, verdict, wrong


def loop(**options):
    return call("""(int64 count, bool go, float[1] x) => (float[1] y) {
        y = Loop(count, go, x) <body = b (int64 i, bool c, float[1] a) => (bool d, float[1] e)
            { d = Identity(c) e = Add(a, a) }> }""", 3, True, [1], opset=11, **options)


wrong("OpenVINO", loop(), [8], seen=Refused("com.intel.ai"))
right("ONNX Runtime's own kernels", loop(provider="CPU"), [8])
right("the body, without a Loop", call("(float[1] a) => (float[1] e) { e = Add(a, a) }", [1], opset=11), [2])
verdict()

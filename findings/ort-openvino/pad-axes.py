"""
title: CenterCropPad with axes is refused when it is run.
library: onnxruntime-openvino
shows: 1.24.1
class: bug
condition: axes are given, and the sizes are an input of the graph.  With other sizes the output has no elements.
rule: ONNX CenterCropPad-18, attribute axes: it specifies a subset of axes that shape refers to.
documented: data/quirks.tsv, Pad
tracker: https://github.com/openvinotoolkit/openvino/pull/33632 (merged; the fix, in Pad)
"""
from library import Refused, array, call, right, verdict, wrong


def crop(more, **options):
    sizes = 1 if more else 2
    return call("""(float[1,3] x, int64[%d] shape) => (float[1,1] y)
        { y = CenterCropPad%s(x, shape) }""" % (sizes, more),
                [1, 2, 3], [1] * sizes, opset=18, **options)


wrong("axes", crop("<axes = [1]>"), array([1, 1], [2]), seen=Refused("OpenVINO-EP-subgraph"))
right("axes, ONNX Runtime's own kernels", crop("<axes = [1]>", provider="CPU"), array([1, 1], [2]))
right("all axes", crop(""), array([1, 1], [2]))
verdict()

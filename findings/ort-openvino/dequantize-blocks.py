"""
title: DequantizeLinear in blocks along an axis that is not the first takes scales of other places.
library: onnxruntime-openvino
shows: 1.24.1
class: bug
condition: block_size is above 1 and the axis is not the first one.
rule: ONNX DequantizeLinear-21: blocks along the axis share a scale; y[i] takes the scale i / block_size.
documented: data/quirks.tsv, DequantizeLinear
tracker: https://github.com/openvinotoolkit/openvino/pull/32918 (merged; the fix)
"""
from library import call, right, verdict, wrong


def blocks(sizes, scales, axis, **options):
    return call("""(uint8[%s] x, float[%s] s, uint8[%s] z) => (float[%s] y)
        { y = DequantizeLinear<axis = %d, block_size = 2>(x, s, z) }""" % (sizes, scales, scales, sizes, axis),
                [1] * 8, [2, 3, 5, 7], [0] * 4, opset=21, ir=10, **options)


second = [2, 2, 3, 3, 5, 5, 7, 7]
wrong("the second axis", blocks("2,4", "2,2", 1), second, seen=[2, 3, 2, 3, 5, 7, 5, 7])
right("the second axis, ONNX Runtime's own kernel", blocks("2,4", "2,2", 1, provider="CPU"), second)
right("the first axis", blocks("4,2", "2,2", 0), [2, 3, 2, 3, 5, 7, 5, 7])
verdict()

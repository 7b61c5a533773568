"""
title: Softmax between DequantizeLinear and QuantizeLinear returns 254 for a probability of 1 in steps of 1/255; 255 is
    right.
library: onnxruntime
shows: 1.31.1
class: bug
condition: 1 / y_scale is no whole number of float32, and the model is optimized as by default: the fused
    QLinearSoftmax of com.microsoft multiplies by 1 / y_scale without its fraction.  1 / 255 is such a scale, since its
    reciprocal is 254.99998 in float32.  A scale of 1 / 256 is right, and so is any scale when nothing is optimized.
rule: ONNX QuantizeLinear-13: y = saturate(round(x / y_scale) + y_zero_point).
documented: data/quirks.tsv, QLinearSoftmax
tracker: none found; https://github.com/microsoft/onnxruntime/issues/29727 is about the bound of int8
"""
from library import NONE, model, right, run, verdict, wrong


def softmax(scale, **options):
    m = model("""(uint8[1,2] x) => (uint8[1,2] y) <float one = {1.0}, float s = {%r}, uint8 z = {0}>
        { r = DequantizeLinear(x, one, z) p = Softmax<axis = -1>(r) y = QuantizeLinear(p, s, z) }""" % scale)
    return lambda: run(m, [200, 100], **options)


# The probabilities are 1 and 0
wrong("steps of 1/255", softmax(1 / 255), [255, 0], seen=[254, 0])
wrong("steps of 0.6", softmax(0.6), [2, 0], seen=[1, 0])
right("steps of 1/256, which saturate", softmax(1 / 256), [255, 0])
right("steps of 1/128", softmax(1 / 128), [128, 0])
right("steps of 1/255, not optimized", softmax(1 / 255, level=NONE), [255, 0])
verdict()

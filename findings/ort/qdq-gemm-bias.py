"""
title: Gemm between DequantizeLinear and QuantizeLinear does not read the scale of its bias: 10 in steps of 2 is added
    as 10.
library: onnxruntime
shows: 1.31.1
class: bug
condition: The bias comes from DequantizeLinear of int32 with a scale other than the product of those of the two
    matrices, and the model is optimized as by default: the fused QGemm has no scale for it.  With their product it is
    right, and Conv is.
rule: ONNX DequantizeLinear-13: y = (x - x_zero_point) * x_scale; Gemm-13.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxruntime/issues/24711 is about Conv
    (https://github.com/microsoft/onnxruntime/pull/28229, merged)
"""
from library import NONE, model, right, run, verdict, wrong


def product(scale, **options):
    """1 * 2 + 3 * 3, and 10 in steps of `scale`."""
    m = model("""(uint8[1,2] x) => (uint8[1,1] y) <float s = {1}, float t = {%g}, uint8 z = {0}, uint8[2,1] w = {2, 3},
        int32[1] b = {10}> { d = DequantizeLinear(x, s, z) e = DequantizeLinear(w, s, z) f = DequantizeLinear(b, t)
        g = Gemm(d, e, f) y = QuantizeLinear(g, s, z) }""" % scale)
    return lambda: run(m, [1, 3], **options)


def convolution(scale):
    m = model("""(uint8[1,1,1,1] x) => (uint8[1,1,1,1] y) <float s = {1}, float t = {%g}, uint8 z = {0},
        uint8[1,1,1,1] w = {2}, int32[1] b = {10}> { d = DequantizeLinear(x, s, z) e = DequantizeLinear(w, s, z)
        f = DequantizeLinear(b, t) g = Conv(d, e, f) y = QuantizeLinear(g, s, z) }""" % scale)
    return lambda: run(m, [3])


wrong("steps of 2", product(2), [31], seen=[21])
wrong("steps of 0.5", product(0.5), [16], seen=[21])
right("steps of 2, not optimized", product(2, level=NONE), [31])
right("steps of 1", product(1), [21])
right("Conv, steps of 2", convolution(2), [26])
verdict()

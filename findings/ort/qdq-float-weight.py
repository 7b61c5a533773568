"""
title: Conv and Gemm with float weights between DequantizeLinear and QuantizeLinear round the weights to 8 bits: 100
    comes out as 102.
library: onnxruntime
shows: 1.31.1
class: limit
condition: The weights are a constant of float32, optimized as by default: WeightBiasQuantization means it.  Right where
    steps of 1/255 of the range of the weights hold all of them, and where no QuantizeLinear follows.
rule: ONNX Conv-11 and Gemm-13; ONNX does not say how far an optimization may round.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxruntime/pull/22969 (merged) brought it,
    https://github.com/microsoft/onnxruntime/pull/24537 (merged) for what QuantizeLinear follows alone
"""
from library import NONE, model, right, run, verdict, wrong


def convolved(weights, behind="y = QuantizeLinear(c, t, z)", kind="uint8", **options):
    """100 times each of two weights, in steps of 0.25."""
    m = model("""(uint8[1,1,1,2] x) => (%s[1,1,1,1] y)
        <float s = {1}, uint8 z = {0}, float t = {0.25}, float[1,1,1,2] w = {%s}>
        { d = DequantizeLinear(x, s, z) c = Conv(d, w) %s }""" % (kind, weights, behind))
    return lambda: run(m, [100, 100], **options)


def multiplied(weights, **options):
    m = model("""(uint8[1,2] x) => (uint8[1,1] y) <float s = {1}, uint8 z = {0}, float t = {0.25}, float[2,1] w = {%s}>
        { d = DequantizeLinear(x, s, z) c = Gemm(d, w) y = QuantizeLinear(c, t, z) }""" % weights)
    return lambda: run(m, [100, 100], **options)


# -1 and 1.25 become -113 and 142 steps of 2.25 / 255, 29 * 2.25 / 255 together: 102.35 steps of the output.
wrong("Conv, -1 and 1.25", convolved("-1, 1.25"), [100], seen=[102])
wrong("Gemm, -1 and 1.25", multiplied("-1, 1.25"), [100], seen=[102])
right("Conv, not optimized", convolved("-1, 1.25", level=NONE), [100])
right("Conv, no QuantizeLinear", convolved("-1, 1.25", "y = Identity(c)", "float"), [25])
right("Conv, -1 and 1.55", convolved("-1, 1.55"), [220])
verdict()

"""
title: Two pairs of QuantizeLinear and DequantizeLinear become one pair with a scale of its own; 1 comes out as 0.996.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: limit
condition: The pairs have different zero points or scales, and the model is optimized as by default.  The deviation
    stays
    below half a step of quantization: DoubleQDQPairsRemover means it.  Equal pairs are right.
rule: ONNX QuantizeLinear-13 and DequantizeLinear-13, formulas; ONNX does not say how far an optimization may round.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxruntime/issues/25259 names DoubleQDQPairsRemover, without
    a model
"""
from library import NONE, model, right, run, verdict, wrong


def twice(zero, other, **options):
    m = model("""(float[4] x) => (float[4] y) <float s = {0.05}, uint8 z = {%d}, uint8 o = {%d}>
        { q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z)
          r = QuantizeLinear(d, s, o) y = DequantizeLinear(r, s, o) }""" % (zero, other))
    return lambda: run(m, [1, -1, 5, 0.03], **options)


# With steps of 0.05 the numbers 1 and 5 are kept, 0.03 rounds to 0.05; below -0.5 a zero point of 10 has no step.
wrong("zero points 128 and 10", twice(128, 10), [1, -0.5, 5, 0.05], seen=[0.9939215, -0.5103921, 4.9964705, 0.0268627])
right("zero points 128 and 10, not optimized", twice(128, 10, level=NONE), [1, -0.5, 5, 0.05])
right("zero points 128 and 128", twice(128, 128), [1, -1, 5, 0.05])
right("to half a step", twice(128, 10), [1, -0.5, 5, 0.05], abs=0.025)
verdict()

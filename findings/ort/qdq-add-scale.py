"""
title: Add or Mul between DequantizeLinear and QuantizeLinear is refused; it is a valid model.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: bug
condition: A scale is a vector (of one element or more), and the model is optimized as by default: the fused
    QLinearAdd or
    QLinearMul wants scalars.
rule: ONNX DequantizeLinear-13, input x_scale: a scalar, or a vector for an axis.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxruntime/pull/28714 is about Gemm
"""
from library import NONE, Refused, model, right, run, verdict, wrong


def sum_of(op, shape, **options):
    m = model("""(uint8[2,1] a, uint8[2,1] b) => (uint8[2,1] y) <float%s s = {0.5}, uint8%s z = {3}>
        { p = DequantizeLinear(a, s, z) q = DequantizeLinear(b, s, z) r = %s(p, q) y = QuantizeLinear(r, s, z) }"""
              % (shape, shape, op))
    return lambda: run(m, [1, 2], [3, 4], **options)


# Add: (1 - 3) + (3 - 3) + 3 = 1 and (2 - 3) + (4 - 3) + 3 = 3.  Mul: -1 * 0 = 0 and
# -0.5 * 0.5 = -0.25, -0.5 steps round to 0
wrong("Add, a scale of shape [1]", sum_of("Add", "[1]"), [1, 3], seen=Refused("must be a scalar"))
wrong("Mul, a scale of shape [1]", sum_of("Mul", "[1]"), [3, 3], seen=Refused("must be a scalar"))
right("Add, a scale without axes", sum_of("Add", ""), [1, 3])
right("Add, a scale of shape [1], not optimized", sum_of("Add", "[1]", level=NONE), [1, 3])
verdict()

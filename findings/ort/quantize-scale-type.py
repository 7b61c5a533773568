"""
title: QuantizeLinear of float32 with a scale of float16 is loaded, and then fails; so is float16 with float32.
library: onnxruntime
shows: 1.31.1
class: bug
condition: Opset 23 or later, and x and y_scale of two types.  There is a kernel, which reads the scale as if it were of
    the type of x.  Of one type they are right.
rule: ONNX QuantizeLinear-23: x is of type T1, y_scale of type T2, and each may be any of the types listed for it.
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/microsoft/onnxruntime/issues/32719 (open)
"""
from library import Refused, array, model, right, run, verdict, wrong

FLOAT16 = 10


def quantized(kind, scale, opset=23):
    """The scale is a power of two, and so the same number in both types."""
    m = model("""(%s[4] x) => (uint8[4] y) <float half = {0.5}, uint8 zero = {128}>
        { scale = Cast<to = %d>(half) y = QuantizeLinear(x, scale, zero) }""" % (kind, scale), opset=opset)
    return lambda: run(m, array([4], [0, 1, -3, 50], kind))


expected = [128, 130, 122, 228]
wrong("float and a scale of float16", quantized("float", FLOAT16), expected, seen=Refused("Tensor type mismatch"))
wrong("float16 and a scale of float", quantized("float16", 1), expected, seen=Refused("Tensor type mismatch"))
right("float", quantized("float", 1), expected)
right("float16", quantized("float16", FLOAT16), expected)
verdict()

"""
title: MatMul by a dequantized matrix with a scale for each row takes them for scales of its columns, or is refused.
library: onnxruntime
shows: 1.31.1
class: bug
condition: Both inputs of MatMul come from DequantizeLinear, that of the second along an axis other than the last, and
    the model is optimized as by default: the fused MatMulIntegerToFloat is given the scales without their axis.
    Refused where there are not as many columns.  Scales of columns are right.
rule: ONNX DequantizeLinear-13, attribute axis: "the axis of the dequantizing dimension of the input tensor".
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
import numpy as np

from library import NONE, Refused, model, right, run, verdict, wrong

a = np.array([[1, 2], [3, 4]], np.float32)


def product(shape, axis, **options):
    """By the numbers 0, 1, 2, … as int8, with scales 1, 2, 4, … along an axis."""
    b = np.arange(np.prod(shape)).reshape(shape)
    scales = 2.0 ** np.arange(shape[axis])
    along = [1] * len(shape)
    along[axis] = -1
    expected = (a @ (b * scales.reshape(along))).astype(np.float32)
    m = model("""(uint8[2,2] x) => (float%s y) <float one = {1}, float[%d] s = {%s}, int8%s w = {%s}>
        { d = DequantizeLinear(x, one) e = DequantizeLinear<axis = %d>(w, s) y = MatMul(d, e) }"""
              % (list(expected.shape), len(scales), ", ".join("%g" % v for v in scales), list(shape),
                 ", ".join(map(str, b.ravel())), axis))
    return (lambda: run(m, a, **options)), expected


def columns(shape):
    b = np.arange(np.prod(shape)).reshape(shape)
    return (a @ (b * 2.0 ** np.arange(shape[-1]))).astype(np.float32)


wrong("2 rows of 2 columns, scales of the rows", *product((2, 2), 0), seen=columns((2, 2)))
wrong("2 such matrices, a scale for each", *product((2, 2, 2), 0), seen=columns((2, 2, 2)))
wrong("2 rows of 3 columns, scales of the rows", *product((2, 3), 0), seen=Refused("MatMulIntegerToFloat"))
right("2 rows of 2 columns, scales of the rows, not optimized", *product((2, 2), 0, level=NONE))
right("2 rows of 2 columns, scales of the columns", *product((2, 2), 1))
verdict()

"""
title: QuantizeLinear to float8e4m3fn with saturate=0 returns 448 for quotients from 480 up to 496; NaN is right.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: bug
condition: saturate = 0, float8e4m3fn, 480 <= |x / scale| < 496.
rule: ONNX QuantizeLinear-19, attribute saturate, which points to the table of Cast: NaN when saturate is 0.
documented: data/quirks.tsv, QuantizeLinear
tracker: none found
"""
from library import model, right, run, verdict, wrong

NAN = float("nan")


def quantized(values, saturate):
    m = model("""(float[%d] x) => (float[%d] y) <float s = {2}, float8e4m3fn z = {0}>
        { q = QuantizeLinear<saturate = %d>(x, s, z) y = DequantizeLinear(q, s, z) }"""
              % (len(values), len(values), saturate), opset=19, ir=9)
    return lambda: run(m, values)


wrong("960 to 990 by 2", quantized([960, 980, 990], 0), [NAN] * 3, seen=[896] * 3)
right("896, 930 and 992 by 2", quantized([896, 930, 992], 0), [896, NAN, NAN])
right("960 by 2 with saturate=1", quantized([960], 1), [896])
verdict()

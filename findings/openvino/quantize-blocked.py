"""
title: QuantizeLinear in blocks without a zero point is refused; it is a valid model.
library: openvino
shows: 2025.3.0, 2026.4.1
since: 2025.3.0 (2025.2.0 fails otherwise)
class: bug
condition: block_size is given and y_zero_point is left out.
rule: ONNX QuantizeLinear-21, input y_zero_point, optional.
documented: data/quirks.tsv, QuantizeLinear
tracker: none found; https://github.com/openvinotoolkit/openvino/pull/28562 is about DequantizeLinear
"""
from library import Refused, model, right, run, verdict, wrong


def quantized(inputs):
    m = model("""(float[1,4] x) => (int8[1,4] y) <float[1,2] s = {1, 2}, int8[1,2] z = {0, 0}>
        { y = QuantizeLinear<axis = 1, block_size = 2, output_dtype = 3>(%s) }""" % inputs, opset=21, ir=10)
    return lambda: run(m, [1, 2, 4, 8])


wrong("no zero point", quantized("x, s"), [1, 2, 2, 4], seen=Refused("QuantizeLinear"))
right("a zero point of 0", quantized("x, s, z"), [1, 2, 2, 4])
verdict()

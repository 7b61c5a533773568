"""
title: DequantizeLinear with a scale for each channel ignores axis, and gives its axes in another order.
library: MNN
shows: 3.6.1
class: bug
condition: Scale and zero point are vectors and inputs of the graph.
rule: ONNX DequantizeLinear-13, attribute axis, default 1.
documented: data/quirks.tsv, DequantizeLinear
tracker: none found
"""
from library import array, call, verdict, wrong

wrong("three channels", call("""(uint8[1,3,1,2] x, float[3] s, uint8[3] z) => (float[1,3,1,2] y)
    { y = DequantizeLinear(x, s, z) }""", [3, 4, 5, 6, 7, 8], [2, 4, 5], [1, 2, 3]),
      array([1, 3, 1, 2], [4, 6, 12, 16, 20, 25]))
verdict()

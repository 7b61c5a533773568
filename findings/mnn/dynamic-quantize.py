"""
title: DynamicQuantizeLinear gives int8 with a zero point of the other sign; uint8 is right.
library: MNN
shows: 3.6.1
class: bug
condition: None.
rule: ONNX DynamicQuantizeLinear-11: y is of uint8.
documented: data/quirks.tsv, DynamicQuantizeLinear
tracker: none found
"""
from library import call, verdict, wrong

# The scale is 5 / 255 and the zero point 153.
wrong("-3 to 2",
      call("(float[4] x) => (uint8[4] y, float s, uint8 z) { y, s, z = DynamicQuantizeLinear(x) }", [0, 2, -3, 1]),
      [153, 255, 0, 204])
verdict()

"""
title: Pow of -0 and the constant -0.5 is minus infinity.
library: OpenCV
shows: 5.0.0
class: difference
condition: The exponent is a constant; where it comes in as an input, plus infinity comes out.  ONNX does not speak of
    -0; pow() of C, and IEEE 754, give plus infinity for an exponent below 0 that is no odd integer.
rule: ONNX Pow-15: f(x) = x to the exponent; IEEE 754-2019, 9.2.1.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import call, right, verdict, wrong

INF = float("inf")
wrong("a constant", call("(float[1,2] x) => (float[1,2] y) <float e = {-0.5}> { y = Pow(x, e) }", [-0.0, 4]),
      [INF, 0.5], seen=[-INF, 0.5])
right("an input", call("(float[1,2] x, float[1,2] e) => (float[1,2] y) { y = Pow(x, e) }", [-0.0, 4], [-0.5, -0.5]),
      [INF, 0.5])
verdict()

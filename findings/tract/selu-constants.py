"""
title: Selu computes with rounded constants: of 1 it gives 1.0507, where 1.050701 is right.
library: tract
shows: 0.23.9
class: precision
condition: alpha and gamma are left out.
rule: ONNX Selu-6, attributes alpha and gamma: 1.67326319217681884765625 and 1.05070102214813232421875 by default.
documented: docs/oracle.md, How the limit was chosen
tracker: none found
"""
from library import model, right, run, verdict, wrong


def selu(attributes):
    m = model("(float[1] x) => (float[1] y) { y = Selu%s(x) }" % attributes)
    return lambda: run(m, [1])


wrong("constants left out", selu(""), [1.05070102], seen=[1.0507], rel=1e-7, abs=0)
right("gamma given", selu("<gamma = 1.05070102>"), [1.05070102], rel=1e-7, abs=0)
right("constants left out, to 2e-6", selu(""), [1.05070102], rel=2e-6, abs=0)
verdict()

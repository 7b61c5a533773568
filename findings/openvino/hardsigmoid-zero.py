"""
title: HardSigmoid with alpha=0 or beta=0 computes with the default, 0.2 or 0.5.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: alpha or beta is 0.
rule: ONNX HardSigmoid-6: max(0, min(1, alpha x + beta)).
documented: docs/methods/search.md, What it found
tracker: none found
"""
from library import model, right, run, verdict, wrong


def hard(alpha, beta):
    m = model("(float[3] x) => (float[3] y) { y = HardSigmoid<alpha = %.1f, beta = %.1f>(x) }" % (alpha, beta))
    return lambda: run(m, [-1, 0, 1])


wrong("alpha 0, beta 0.1", hard(0, 0.1), [0.1, 0.1, 0.1], seen=[0, 0.1, 0.3])
wrong("alpha 0.3, beta 0", hard(0.3, 0), [0, 0, 0.3], seen=[0.2, 0.5, 0.8])
right("alpha 0.3, beta 0.1", hard(0.3, 0.1), [0, 0.1, 0.4])
verdict()

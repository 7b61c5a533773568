"""
title: Softplus of -20 is -1.9e-6 and of -64.6 7.6e-6; 2.1e-9 and 8.8e-29 are right.
library: openvino
shows: 2024.6.0, 2026.4.1
class: precision
condition: Numbers below about -10; the absolute error is some 1e-6, so that what is smaller has no right digit.
rule: ONNX Softplus-1: ln(exp(x) + 1).  It sets no accuracy, but the function has no negative values.
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/openvinotoolkit/openvino/issues/23673 (closed)
"""
import numpy as np

from library import model, right, run, verdict, wrong


def softplus(x):
    m = model("(float[1] x) => (float[1] y) { y = Softplus(x) }")
    return (lambda: run(m, [x])), [np.log1p(np.exp(x))]


wrong("-20", *softplus(-20), abs=0, rel=1e-2)
wrong("-64.6", *softplus(-64.6), abs=0, rel=1e-2)
wrong("-10", *softplus(-10), abs=0, rel=1e-2)
right("-5", *softplus(-5), rel=1e-4)
right("-20, to 1e-5", *softplus(-20), abs=1e-5)
verdict()

"""
title: A Reshape kills the process (SIGSEGV) after a model with allowzero was run by the same Core.
library: openvino
shows: 2025.2.0, 2026.1.0
class: bug
condition: A model with allowzero = 1 and a 0 in the shape, which is an input, was compiled and run before by the same Core.
    In a process of its own the second model is right.
rule: ONNX Reshape-14; models do not depend on those that ran before.
documented: data/quirks.tsv, Reshape
tracker: not searched
"""
import numpy as np

from library import Died, model, right, run, verdict, wrong

empty = model("(float[0,3,4] x, int64[3] s) => (float[a,b,c] y) { y = Reshape<allowzero = 1>(x, s) }", opset=14)
plain = model("(float[2,3,4] x, int64[4] s) => (float[2,3,2,2] y) { y = Reshape(x, s) }", opset=14)


def plain_after(models):
    import openvino

    core = openvino.Core()
    for m in models:
        run(m, np.zeros((0, 3, 4)), [3, 4, 0], core=core)
    return run(plain, range(24), [2, 3, 2, 2], core=core)


wrong("after a model with allowzero", lambda: plain_after([empty]), list(range(24)), seen=Died("SIGSEGV"))
right("alone", lambda: plain_after([]), list(range(24)))
verdict()

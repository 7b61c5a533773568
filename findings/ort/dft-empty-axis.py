"""
title: DFT with its axis left out by an empty name kills the process (SIGSEGV); the default axis is meant.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: bug
condition: Opset 20 and a third input with an empty name.  Without a third input it is right.
rule: ONNX DFT-20, input axis, optional; ONNX IR, "Optional Inputs": an empty name means that an input is left out.
documented: data/quirks.tsv, DFT
tracker: none found; https://github.com/microsoft/onnxruntime/issues/7075 is about Split
"""
from library import Died, model, right, run, verdict, wrong


def dft(inputs):
    m = model("(float[1,4,1] x) => (float[1,4,2] y) <int64 axis = {1}> { y = DFT(%s) }" % inputs, opset=20, ir=9)
    return lambda: run(m, [1, 2, 3, 4])


spectrum = [10, 0, -2, 2, -2, 0, -2, -2]  # sum of x_j (-i)^(jk)
wrong('DFT(x, "", "")', dft('x, "", ""'), spectrum, seen=Died("SIGSEGV"))
right('DFT(x, "")', dft('x, ""'), spectrum, abs=1e-5)
right('DFT(x, "", 1)', dft('x, "", axis'), spectrum, abs=1e-5)
verdict()

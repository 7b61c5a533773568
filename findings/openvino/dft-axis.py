"""
title: DFT of opset 20 transforms axis 1 whatever its input axis says; so it is also when that is left out (-2).
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: Opset 20 and an axis other than 1, as a constant, as an input of the graph or by default.  The attribute of
    opset 17 is right.
rule: ONNX DFT-20, input axis, default -2.
documented: data/quirks.tsv, DFT
tracker: none found
"""
import numpy as np

from library import model, right, run, verdict, wrong

x = np.arange(1, 7).reshape(1, 2, 3, 1)


def spectrum(axis):
    y = np.fft.fft(x[..., 0], axis=axis)
    return np.stack([y.real, y.imag], -1).ravel().tolist()


def dft(text, opset=20, *more):
    m = model("(float[1,2,3,1] x%s) => (float[1,2,3,2] y) <int64 two = {2}, int64 one = {1}> { y = %s }"
              % (", int64 axis" if more else "", text), opset=opset, ir=9)
    return lambda: run(m, x, *more)


wrong("axis 2, a constant", dft('DFT(x, "", two)'), spectrum(2), seen=spectrum(1))
wrong("axis 2, an input", dft('DFT(x, "", axis)', 20, 2), spectrum(2), seen=spectrum(1))
wrong("no axis", dft("DFT(x)"), spectrum(2), seen=spectrum(1))
right("axis 1, a constant", dft('DFT(x, "", one)'), spectrum(1))
right("axis 2, opset 17", dft("DFT<axis = 2>(x)", 17), spectrum(2))
verdict()

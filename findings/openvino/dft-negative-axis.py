"""
title: DFT of opsets 17 to 19 with axis -2 transforms the axis before it.
library: openvino
shows: 2026.4.1
class: bug
condition: The attribute axis is -2; the same axis counted from the front is right.
rule: ONNX DFT-17, attribute axis: a negative value counts from the back; -2 is the last axis of the signal.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
import numpy as np

from library import model, right, run, verdict, wrong

x = np.arange(1, 13).reshape(1, 3, 4, 1)


def spectrum(axis):
    y = np.fft.fft(x[..., 0], axis=axis)
    return np.stack([y.real, y.imag], -1).ravel().tolist()


def dft(axis):
    m = model("(float[1,3,4,1] x) => (float[1,3,4,2] y) { y = DFT<axis = %d>(x) }" % axis, opset=17, ir=9)
    return lambda: run(m, x)


wrong("axis -2", dft(-2), spectrum(2), seen=spectrum(1))
right("axis 2", dft(2), spectrum(2))
verdict()

"""
title: DFT of 1009 points is off by 6e-4, of 23 points by 2e-5, where float32 can give 1e-6.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: precision
condition: The number of points is no power of two; the deviation grows with it.  1024 points are right to 2e-6.
rule: ONNX DFT-17.  It sets no accuracy: every element is a power of a root of 1, whose magnitude is 1.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxruntime/issues/16163 is about STFT since 1.15
"""
import numpy as np

from library import model, right, run, verdict, wrong


def impulse(n):
    """All 0 but the last point, which is 1: element k is exp(2 pi i k / n)."""
    m = model("(float[1,%d,1] x) => (float[1,%d,2] y) { y = DFT<axis = 1>(x) }" % (n, n), opset=17)
    angle = 2 * np.pi * np.arange(n) / n
    return (lambda: run(m, np.eye(1, n, n - 1))), np.stack([np.cos(angle), np.sin(angle)], -1).ravel().tolist()


wrong("1009 points, to 3e-4", *impulse(1009), abs=3e-4, rel=0)
wrong("23 points, to 1e-5", *impulse(23), abs=1e-5, rel=0)
right("1024 points, to 5e-6", *impulse(1024), abs=5e-6, rel=0)
verdict()

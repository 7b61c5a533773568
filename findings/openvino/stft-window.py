"""
title: STFT of a real signal with a window, two-sided, is refused; it is a valid model.
library: openvino
shows: 2026.0.0, 2026.4.1
since: 2026.0.0 (2025.4.1 fails otherwise)
class: bug
condition: A window is given and onesided = 0.  One-sided, or without a window, it is right.
rule: ONNX STFT-17, input signal [batch, length, 1], input window, attribute onesided.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
import numpy as np

from library import Refused, model, right, run, verdict, wrong


def stft(onesided, inputs):
    m = model("""(float[1,8,1] x) => (float[1,3,%d,2] y)
        <int64 step = {2}, float[4] window = {1, 1, 1, 1}, int64 length = {4}>
        { y = STFT<onesided = %d>(x, step, %s) }""" % (3 if onesided else 4, onesided, inputs), opset=17)
    return lambda: run(m, list(range(8)))


frames = np.fft.fft(np.stack([np.arange(i, i + 4) for i in (0, 2, 4)]))
both = np.stack([frames.real, frames.imag], -1)
wrong("two-sided, a window", stft(0, "window"), both.ravel().tolist(), seen=Refused("STFT"))
wrong("two-sided, a window and a length", stft(0, "window, length"), both.ravel().tolist(), seen=Refused("STFT"))
right("two-sided, a length alone", stft(0, ', length'), both.ravel().tolist())
right("one-sided, a window", stft(1, "window"), both[:, :3].ravel().tolist())
verdict()

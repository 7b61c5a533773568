"""
title: GELU by tanh written out with 0.8 in place of sqrt(2 / pi) returns the value for sqrt(2 / pi), 6e-4 off.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: The factor is near 0.79788 but not it (0.79 and 0.8 are taken for it, 0.85 is not).
rule: ONNX Mul-13: a model's constants are what it says.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/openvinotoolkit/openvino/pull/29321 speaks of the tolerance
"""
import numpy as np

from library import model, right, run, verdict, wrong

x = np.array([0.5, 1, 2])


def gelu(factor):
    m = model("""(float[3] x) => (float[3] y) <float three = {3}, float k = {0.044715}, float c = {%s}, float one = {1},
        float half = {0.5}> { p = Pow(x, three) a = Mul(p, k) b = Add(x, a) d = Mul(b, c) t = Tanh(d) o = Add(t, one)
        h = Mul(x, half) y = Mul(h, o) }""" % factor)
    return lambda: run(m, x)


def formula(factor):
    return (0.5 * x * (1 + np.tanh(factor * (x + 0.044715 * x ** 3)))).tolist()


wrong("0.8", gelu(0.8), formula(0.8), seen=formula(np.sqrt(2 / np.pi)))
wrong("0.79", gelu(0.79), formula(0.79), seen=formula(np.sqrt(2 / np.pi)))
right("0.85", gelu(0.85), formula(0.85))
right("0.7978846", gelu(0.7978846), formula(0.7978846))
verdict()

"""
title: Atanh of the number next to -1 is -8.317766, where -8.664340 is right; of the number next to 1 it is right.
library: tract
shows: 0.23.9
class: precision
condition: Every second float32 near -1: the relative error is 4e-2 at -1 + 2^-24 and still 9e-5 at -1 + 1025 * 2^-24.
rule: ONNX Atanh-9, the hyperbolic arctangent, which is odd; no accuracy is set.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/tursodatabase/turso/pull/8353 tells the same of Rust's own atanh, for float64
"""
import math

from library import model, right, run, verdict, wrong

NEXT = 1 - 2.0 ** -24


def atanh(x):
    m = model("(float[1] x) => (float[1] y) { y = Atanh(x) }")
    return lambda: run(m, [x])


wrong("next to -1", atanh(-NEXT), [math.atanh(-NEXT)], seen=[-8.317766])
wrong("-1 + 1025 * 2^-24", atanh(-1 + 1025 * 2.0 ** -24), [math.atanh(-1 + 1025 * 2.0 ** -24)], seen=[-5.197628])
right("next but one to -1", atanh(-1 + 2.0 ** -23), [math.atanh(-1 + 2.0 ** -23)])
right("next to 1", atanh(NEXT), [math.atanh(NEXT)])
right("-0.5", atanh(-0.5), [math.atanh(-0.5)])
right("-0.999", atanh(-0.9990234375), [math.atanh(-0.9990234375)])
verdict()

"""
title: A layer normalization written out with a power of 4 returns that of power 2; d / sqrt(mean(d^4) + e) is right.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: bug
condition: ReduceMean, Sub, Pow, ReduceMean, Add, Sqrt, Div, Mul, Add with a Pow exponent other than 2; optimized as by
    default.  Without optimization it is right.
rule: ONNX Pow-13, Z = X^Y.  An optimization must not change what a model means.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxruntime/pull/29196 looks at the exponent in
    SimplifiedLayerNormFusion
"""
import numpy as np

from library import NONE, model, right, run, verdict, wrong

x = np.array([[1, 2, 4, 8], [0, 1, 0, 3]], np.float32)


def normalized(power, **options):
    m = model("""(float[2,4] x) => (float[2,4] y)
        <float p = {%d}, float e = {0.00001}, float[4] scale = {1, 1, 1, 1}, float[4] bias = {0, 0, 0, 0}>
        { mean = ReduceMean<axes = [-1]>(x) d = Sub(x, mean) q = Pow(d, p) v = ReduceMean<axes = [-1]>(q) w = Add(v, e)
          s = Sqrt(w) n = Div(d, s) k = Mul(n, scale) y = Add(k, bias) }""" % power)
    return lambda: run(m, x, **options)


def formula(power):
    d = x - x.mean(-1, keepdims=True)
    return d / np.sqrt((d ** power).mean(-1, keepdims=True) + np.float32(1e-5))


wrong("power 4", normalized(4), formula(4), seen=formula(2))
right("power 4, not optimized", normalized(4, level=NONE), formula(4))
right("power 2", normalized(2), formula(2))
verdict()

"""
title: A layer normalization written out takes 0.00001 for its epsilon, whatever the model adds to the variance.
library: onnxruntime
shows: 1.31.1
class: bug
condition: Optimized as by default, and what is added is the first operand of Add (layer normalization), an input of the
    model, or a constant of more than one element (layer normalization and that without a mean, RMS).  One number as
    the second operand is right.
rule: ONNX Add-13, C = A + B.  An optimization must not change what a model means.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxruntime/pull/2639 brought the default
"""
import numpy as np

from library import NONE, model, right, run, verdict, wrong

x = np.array([[1, 1, 3, 3], [2, 2, 6, 6]], np.float32)


def normalized(sum_, epsilon="", mean=True, **options):
    """`epsilon` is a constant, or an input of 1."""
    taken = "" if epsilon else ", float e"
    first = "mean = ReduceMean<axes = [-1]>(x) d = Sub(x, mean)" if mean else "d = Identity(x)"
    m = model("""(float[2,4] x%s) => (float[2,4] y)
        <float p = {2}, float[4] scale = {1, 1, 1, 1}, float[4] bias = {0, 0, 0, 0}%s>
        { %s q = Pow(d, p) v = ReduceMean<axes = [-1]>(q) w = Add(%s) s = Sqrt(w) n = Div(d, s) k = Mul(n, scale)
          y = Add(k, bias) }""" % (taken, epsilon and ", " + epsilon, first, sum_))
    return lambda: run(m, x, *([] if epsilon else [1]), **options)


def formula(epsilon, mean=True):
    d = x - x.mean(-1, keepdims=True) if mean else x
    return (d / np.sqrt((d * d).mean(-1, keepdims=True) + np.float32(epsilon))).astype(np.float32)


one, rows = "float e = {1}", "float[2,1] e = {1, 3}"
wrong("epsilon 1, the first operand", normalized("e, v", one), formula(1), seen=formula(1e-5))
wrong("epsilon an input of 1", normalized("v, e"), formula(1), seen=formula(1e-5))
wrong("epsilon of each row", normalized("v, e", rows), formula([[1], [3]]), seen=formula(1e-5))
wrong("RMS, epsilon an input of 1", normalized("v, e", mean=False), formula(1, False), seen=formula(1e-5, False))
wrong("RMS, epsilon of each row", normalized("v, e", rows, False), formula([[1], [3]], False),
      seen=formula(1e-5, False))
right("epsilon 1, the second operand", normalized("v, e", one), formula(1))
right("RMS, epsilon 1, the first operand", normalized("e, v", one, False), formula(1, False))
right("epsilon 1, the first operand, not optimized", normalized("e, v", one, level=NONE), formula(1))
verdict()

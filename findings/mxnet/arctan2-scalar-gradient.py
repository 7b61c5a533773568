"""
title: The gradient of np.arctan2(scalar, x) is wrong: at x = 0.5 with 2 it is -0.117647, -0.470588 is right.
library: mxnet
shows: 1.6.0, 1.9.1
class: bug
condition: The first argument is a scalar: the gradient has x where the scalar belongs.  np.arctan2(x, scalar) is right.
rule: d arctan2(s, x) / dx = -s / (s^2 + x^2).
documented: docs/methods/equiv.md, What was measured
tracker: none found; https://github.com/apache/mxnet/pull/18440 is about the same gradient on a GPU alone
"""
from library import gradient, mx, right, verdict, wrong

x = [0.5, -1, 2]
wrong("arctan2(2, x)", gradient(lambda v: mx.np.arctan2(2.0, v), x), [-2 / (4 + v * v) for v in x],
      seen=[-v / (4 + v * v) for v in x])
right("arctan2(x, 2)", gradient(lambda v: mx.np.arctan2(v, 2.0), x), [2 / (4 + v * v) for v in x])
right("arctan2(an array of 2, x)", gradient(lambda v: mx.np.arctan2(mx.np.full(3, 2.0, dtype="float64"), v), x),
      [-2 / (4 + v * v) for v in x])
verdict()

"""
title: Gradients of np.var, np.std, np.percentile, np.atleast_1d, 2d and 3d, np.unique, np.linalg.pinv and
    np.linalg.eigvals
    are 0; the derivatives are not.
library: mxnet
shows: 1.9.1
class: bug
condition: None: these functions take part in a recorded graph, but hand no gradient on, without a word.
rule: mx.autograd: gradients of what is recorded, or an error for what has none.
documented: docs/methods/equiv.md, What was measured
tracker: none found; https://github.com/apache/mxnet/issues/18074 is about np.unique alone, which got a gradient of 0 on
    purpose
"""
import numpy as np

from library import gradient, mx, right, slope, verdict, wrong

x, square = [0.5, -1.0, 2.0], [[2.0, 1.0], [1.0, 3.0]]
for name, f, plain in (("var", mx.np.var, np.var), ("std", mx.np.std, np.std), ("unique", mx.np.unique, np.unique),
                       ("percentile", lambda v: mx.np.percentile(v, 40), lambda v: np.percentile(v, 40)),
                       ("atleast_1d", mx.np.atleast_1d, np.atleast_1d), ("atleast_2d", mx.np.atleast_2d, np.atleast_2d),
                       ("atleast_3d", mx.np.atleast_3d, np.atleast_3d)):
    wrong(name, gradient(f, x), slope(plain, x)[0], seen=[0, 0, 0], abs=1e-4)
for name in ("pinv", "eigvals"):
    wrong("linalg." + name, gradient(getattr(mx.np.linalg, name), square), slope(getattr(np.linalg, name), square)[0],
          seen=[0, 0, 0, 0], abs=1e-4)
right("mean", gradient(mx.np.mean, x), slope(np.mean, x)[0], abs=1e-4)
right("linalg.inv", gradient(mx.np.linalg.inv, square), slope(np.linalg.inv, square)[0], abs=1e-4)
verdict()

"""
title: log_softmax of (-3, 0) is -0.0485907; -0.0485874 is right.
library: mxnet
shows: 1.9.1
since: 1.8.0.post0 (1.6.0 is right)
class: precision
condition: float32, by oneDNN: an absolute error of some 3e-6.  float64 is right.
rule: mx.npx.log_softmax: log(softmax(x)).  It sets no accuracy.
documented: docs/methods/fuzz.md, Found
tracker: none found; https://github.com/apache/mxnet/pull/18320 brought oneDNN's
"""
import math

from library import mx, right, verdict, wrong

want = [-3 - math.log1p(math.exp(-3)), -math.log1p(math.exp(-3))]


def log_softmax(kind):
    return lambda: mx.npx.log_softmax(mx.np.array([-3, 0], dtype=kind)).asnumpy()


wrong("float32", log_softmax("float32"), want, seen=[-3.0485907, -0.04859074], abs=0, rel=1e-6)
right("float64", log_softmax("float64"), want, abs=0, rel=1e-6)
right("float32, to 1e-5", log_softmax("float32"), want, abs=1e-5, rel=0)
verdict()

"""
title: Activation softrelu of -10 is 1.3 % off, of -20 it is -1.9e-6; log(1 + exp(x)) is never negative.
library: mxnet
shows: 1.9.1
since: 1.8.0.post0 (1.6.0 is right)
class: precision
condition: float32, by oneDNN, numbers below about -8.
rule: mx.npx.activation, softrelu: log(1 + exp(x)).
documented: data/quirks.tsv, Softplus
tracker: none found; https://github.com/apache/mxnet/issues/11804 is about numbers above 88
"""
import math

from library import mx, right, verdict, wrong


def softrelu(x, kind="float32"):
    return (lambda: mx.npx.activation(mx.np.array([x], dtype=kind),
                                      act_type="softrelu").asnumpy()), [math.log1p(math.exp(x))]


wrong("-10", *softrelu(-10.0), seen=[4.482269e-5], abs=0, rel=1e-3)
wrong("-20", *softrelu(-20.0), seen=[-1.907349e-6], abs=0, rel=1e-3)
right("1", *softrelu(1.0), abs=0, rel=1e-3)
right("-10, float64", *softrelu(-10.0, "float64"), abs=0, rel=1e-3)
verdict()

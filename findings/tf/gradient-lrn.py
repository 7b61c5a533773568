"""
title: TF_AddGradients leaves the parameters of LRN out: its gradient is that of depth_radius 5, bias 1, alpha 1, beta
    0.5.
library: tensorflow-cpu
shows: 2.12.0, 2.21.0
class: bug
condition: The C interface's TF_AddGradients, and any parameter other than the default.
rule: The derivative of tf.nn.local_response_normalization.
documented: data/quirks.tsv, LRN
tracker: none found; https://github.com/tensorflow/tensorflow/issues/13789 is the request for this gradient
"""
import numpy as np

from library import c_gradient, right, verdict, wrong

x = np.array([0.2, 0.9, 0.4], np.float32).reshape(1, 1, 1, 3)


def total(v, bias, alpha, beta):
    """The sum of x / (bias + alpha * (sum of squares))^beta; three channels are all within the radius."""
    return (v / (bias + alpha * (v ** 2).sum()) ** beta).sum()


def slopes(*parameters):
    """Central differences in float64."""
    out = []
    for i in range(3):
        d = np.zeros(3)
        d[i] = 1e-6
        v = x.ravel().astype(float)
        out.append((total(v + d, *parameters) - total(v - d, *parameters)) / 2e-6)
    return out


def gradient(bias, alpha, beta):
    return c_gradient(lambda tf, v: tf.raw_ops.LRN(input=v, depth_radius=5, bias=bias, alpha=alpha, beta=beta), [x])


wrong("bias 2", gradient(2.0, 1.0, 0.5), slopes(2, 1, 0.5), rel=1e-4)
wrong("alpha 0.1", gradient(1.0, 0.1, 0.5), slopes(1, 0.1, 0.5), rel=1e-4)
wrong("beta 0.75", gradient(1.0, 1.0, 0.75), slopes(1, 1, 0.75), rel=1e-4)
right("the defaults", gradient(1.0, 1.0, 0.5), slopes(1, 1, 0.5), rel=1e-4)
verdict()

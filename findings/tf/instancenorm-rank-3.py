"""
title: An instance normalization of three axes, written out, is refused ("scale must be 1D tensor"); it is a valid
    graph.
library: tensorflow-cpu
shows: 2.21.0
since: 2.21.0 (2.12.0 is right)
class: bug
condition: tf.compat.v1.Session with oneDNN (the default), scale and bias [1, C, 1] that are no constants: the optimizer
    takes the formula for a layer normalization.  Four axes are right.
rule: tf.compat.v1.Session: an optimization must not make a valid graph invalid.
documented: data/quirks.tsv, InstanceNormalization
tracker: none found
"""
import numpy as np

from library_layernorm import normalized
from library import Refused, right, verdict, wrong

x = np.arange(12, dtype=np.float32).reshape(1, 3, 4)
scale = np.array([1, 2, 3], np.float32)
d = x - x.mean(-1, keepdims=True)
want = d / np.sqrt((d ** 2).mean(-1, keepdims=True) + np.float32(0.001)) * scale.reshape(1, 3, 1)


def instance(shape, axes, **options):
    shaped = scale.reshape([1, 3] + [1] * (len(shape) - 2))
    return normalized(0.001, ["y"], x=x.reshape(shape), axes=axes, scale=shaped, bias=shaped * 0, **options)


wrong("three axes", instance((1, 3, 4), [2]), want.ravel().tolist(), seen=Refused("scale must be 1D tensor"))
right("three axes, without oneDNN", instance((1, 3, 4), [2], onednn=False), want.ravel().tolist())
right("four axes", instance((1, 3, 2, 2), [2, 3]), want.ravel().tolist())
verdict()

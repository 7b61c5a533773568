"""
title: Concat of float32 with seven axes or more is refused ("MKLDNN doesn't support 7 dimensions"); it is a valid call.
library: mxnet
shows: 1.9.1
class: bug
condition: mx.nd.concat of float32.  Six axes are right, and so are float64, which oneDNN does not take, and
    np.concatenate.
rule: mx.nd.concat: any number of axes; the same call of float64.
documented: docs/methods/fuzz.md, Found
tracker: none found; https://github.com/apache/mxnet/issues/14766 (closed) is about six axes, which are right now
"""
from library import Refused, mx, right, verdict, wrong


def concat(axes, kind="float32"):
    def call():
        parts = [mx.nd.full((1,) * axes, value, dtype=kind) for value in (1, 2)]
        return mx.nd.concat(*parts, dim=1).asnumpy()
    return call


def concatenate(axes):
    return lambda: mx.np.concatenate([mx.np.full((1,) * axes, value) for value in (1, 2)], axis=1).asnumpy()


wrong("seven axes", concat(7), [1, 2], seen=Refused("MKLDNN doesn't support 7 dimensions"))
wrong("eight axes", concat(8), [1, 2], seen=Refused("MKLDNN doesn't support 8 dimensions"))
right("six axes", concat(6), [1, 2])
right("seven axes, float64", concat(7, "float64"), [1, 2])
right("seven axes, np.concatenate", concatenate(7), [1, 2])
verdict()

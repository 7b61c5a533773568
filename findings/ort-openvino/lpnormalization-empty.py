"""
title: LpNormalization along an axis without elements kills the process (SIGFPE).
library: onnxruntime-openvino
shows: 1.24.1
class: bug
condition: The sizes are fixed in the model, so that the provider of OpenVINO leaves the node to ONNX Runtime's own
    kernel, which divides by the number of elements; with named sizes OpenVINO computes it and is right.  ONNX Runtime
    1.31.1 alone is right.
rule: ONNX LpNormalization-1: the output has the shape of the input, here one without elements.
documented: docs/campaign.md, All methods on all libraries
tracker: none found
found: equiv
"""
import numpy as np

from library import Died, call, right, verdict, wrong


def normalized(shape, kind="float", p=2, sizes=None, provider="OpenVINO"):
    text = sizes or ",".join(map(str, shape))
    return call("(%s[%s] x) => (%s[%s] y) { y = LpNormalization<axis = 1, p = %d>(x) }" % (kind, text, kind, text, p),
                np.zeros(shape), provider=provider)


NOTHING = np.zeros([2, 0], np.float32)
for p in (1, 2):
    wrong("p %d" % p, normalized([2, 0], p=p), NOTHING, seen=Died("SIGFPE"))
wrong("float16", normalized([2, 0], "float16"), NOTHING.astype(np.float16), seen=Died("SIGFPE"))
wrong("ONNX Runtime's own kernel", normalized([2, 0], provider="CPU"), NOTHING, seen=Died("SIGFPE"))
right("named sizes", normalized([2, 0], sizes="a,b"), NOTHING)
right("no rows", normalized([0, 3]), np.zeros([0, 3], np.float32))
verdict()

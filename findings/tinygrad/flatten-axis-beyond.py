"""
title: Flatten runs with an axis that the tensor does not have.
library: tinygrad
shows: 0.14.0
class: bug
condition: An axis below 0 and beyond the first one, such as -1000 and, for two axes, -3.
rule: ONNX Flatten-13: axis must be in the range [-r, r], where r is the rank of the input; a model that is not valid is
    refused.
documented: docs/campaign.md, Invalid models for rewriters and compilers
tracker: none found
found: fuzz
"""
import numpy as np

from library import Refused, call, right, verdict, wrong


def flat(axis):
    return call("(float[2,3] x) => (float[a,b] y) { y = Flatten<axis = %d>(x) }" % axis,
                np.arange(6).reshape(2, 3), check=False)


SIX = np.arange(6, dtype=np.float32)
wrong("-1000", flat(-1000), Refused(), seen=SIX.reshape(1, 6))
wrong("-3", flat(-3), Refused(), seen=SIX.reshape(1, 6))
right("-1", flat(-1), SIX.reshape(2, 3))
right("-2", flat(-2), SIX.reshape(1, 6))
verdict()

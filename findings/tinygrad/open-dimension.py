"""
title: An input with a dimension that is neither told nor named is refused.
library: tinygrad
shows: 0.14.0
class: bug
condition: The dimension has no dim_value and no dim_param ("Expected None, received 1").  A name for it, and a size,
    are right.
rule: ONNX IR, Static tensor shapes: a dimension may have neither a value nor a name, and is of unknown size then.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
import numpy as np

from library import Refused, call, right, verdict, wrong


def relu(size):
    return call("(float[%s,2] x) => (float[%s,2] y) { y = Relu(x) }" % (size, size), np.array([[1, -2]], np.float32))


wrong("neither", relu("?"), [1, 0], seen=Refused("Expected None"))
right("a name", relu("n"), [1, 0])
right("a size", relu("1"), [1, 0])
verdict()

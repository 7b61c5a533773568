"""
title: Conv with dilations of -1 is run and returns a tensor without elements; it must be refused.
library: openvino
shows: 2025.2.0, 2026.4.1
since: 2025.2.0 (2024.6.0 is right)
class: bug
condition: The batch size is open in the model, and the device has one thread and one stream.  With a batch of 1 in the
    model it is refused.
rule: ONNX Conv-11, attribute dilations; a distance of -1 has no meaning.
documented: docs/methods/search.md, What it found
tracker: none found
"""
import numpy as np

from library import Refused, array, model, right, run, verdict, wrong


def conv(batch, dilation):
    m = model("(float[%s,1,5,5] x, float[1,1,1,1] w) => (float[%s,1,5,5] y) { y = Conv<dilations = [%d, %d]>(x, w) }"
              % (batch, batch, dilation, dilation), check=False)
    return lambda: run(m, np.ones((1, 1, 5, 5)), [1])


wrong("an open batch size", conv("n", -1), Refused(), seen=array([0, 1, 5, 5], []))
right("a batch of 1", conv("1", -1), Refused())
right("an open batch size, dilations of 1", conv("n", 1), array([1, 1, 5, 5], [1] * 25))
verdict()

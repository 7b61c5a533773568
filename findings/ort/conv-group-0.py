"""
title: Conv with group 0 on an input without channels kills the process (SIGFPE); it must be refused.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: bug
condition: group = 0 and 0 channels.  With a channel the model is refused.
rule: ONNX Conv-11, attribute group: the number of groups that channels are divided into; 0 divides nothing.
documented: docs/methods/equiv.md, What was measured
tracker: none found
"""
import numpy as np

from library import Died, Refused, model, right, run, verdict, wrong


def conv(channels, group):
    m = model("(float[1,%d,3] x, float[1,%d,1] w) => (float[1,1,3] y) { y = Conv<group = %d>(x, w) }"
              % (channels, channels, group), check=False)
    return lambda: run(m, np.zeros(3 * channels), np.zeros(channels))


wrong("group 0, 0 channels", conv(0, 0), Refused(), seen=Died("SIGFPE"))
right("group 0, 1 channel", conv(1, 0), Refused("Conv"))
right("group 1, 0 channels", conv(0, 1), [0, 0, 0])
verdict()

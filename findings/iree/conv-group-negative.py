"""
title: Conv with a group below 0 kills the compiler (SIGSEGV); it must be refused.
library: IREE
shows: 3.13.0
class: bug
condition: group -1 and an input of five channels; with one channel the model is refused.  In the process that calls the
    compiler as a library, that process dies.
rule: ONNX Conv-11: group is the number of groups that input and output channels are divided into, and 5 are not divided
    into -1; a model that is not valid must not end the process.
documented: docs/campaign.md, Invalid models for rewriters and compilers
tracker: none found
found: fuzz
"""
import os
import signal

import numpy as np

from library import Died, Refused, call, right, verdict, wrong


def conv(channels, group, kernels=1):
    run = call("""(float[1,%d,1,1] x) => (float[1,1,1,1] y) <float[1,%d,1,1] w = {%s}>
        { y = Conv<group = %d, kernel_shape = [1, 1]>(x, w) }""" % (channels, kernels, ", ".join("2" * kernels), group),
               np.ones([1, channels, 1, 1]), check=False)

    def end():
        try:
            return run()
        except Exception as e:
            if "Error code: -11" in str(e):  # here the compiler is a process of its own
                os.kill(os.getpid(), signal.SIGSEGV)
            raise

    return end


wrong("five channels", conv(5, -1), Refused(), seen=Died("SIGSEGV"))
right("one channel", conv(1, -1), Refused())
right("group 1", conv(5, 1, 5), np.full([1, 1, 1, 1], 10, np.float32))
verdict()

"""
title: LOCAL_RESPONSE_NORMALIZATION adds and subtracts squares as it goes: seven channels behind one of 10000 a 1
    becomes 1.287; 0.7125 is right.
library: ai-edge-litert
shows: 2.3.0
class: bug
condition: A channel of 1000 or more, which has left the window of those of 1 behind it.  ONNX Runtime
    does the same (ort/lrn-running-sum).  Of channels that are alike it is right.
rule: tf.nn.local_response_normalization: squares of the channels d - depth_radius to d + depth_radius alone.
documented: docs/methods/fuzz.md, Found
tracker: none found
found: fuzz
"""
from library import operator, right, verdict, wrong


def lrn(first):
    return operator("LOCAL_RESPONSE_NORMALIZATION", [[[[first] + [1] * 7]]], "LocalResponseNormalizationOptions",
                    radius=3, bias=1.0, alpha=1 / 7, beta=0.75)


def last(first):
    """Of the last channel, whose window holds it and the three before it: (1 + 4 / 7)^-0.75."""
    call = lrn(first)
    return lambda: call().ravel()[7]


wrong("10000 and seven of 1", last(1e4), [0.7124903], seen=[1.2870518])
wrong("1000 and seven of 1", last(1e3), [0.7124903], seen=[0.7170789])
right("eight of 1", last(1), [0.7124903])
verdict()

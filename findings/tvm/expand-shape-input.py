"""
title: Expand gives the shape itself where it has a 1 and the input is larger, when the shape is an input.
library: tvm
shows: 0.27.0.post1
class: bug
condition: the shape is no constant, and a 1 in it stands against an axis of the input that is larger.
rule: ONNX Expand-13: the input is broadcast following the shape and the broadcast rule: the result is what both give.
documented: data/quirks.tsv, Expand
tracker: https://github.com/apache/tvm/pull/17309 is about constants
"""
import numpy as np

from library import call, right, verdict, wrong


def expand(*shape):
    return call("(float[3, 1] x, int64[2] s) => (float[a, b] y) { y = Expand(x, s) }", (1, 2, 3),
                np.array(shape, np.int64))


wrong("[3, 1] to [1, 2]", expand(1, 2), [1, 1, 2, 2, 3, 3])
right("[3, 1] to [3, 2]", expand(3, 2), [1, 1, 2, 2, 3, 3])
verdict()

"""
title: Slice backwards from a start behind the last element begins with another number than the last: 0.
library: iree-base-compiler
shows: 3.13.0
class: bug
condition: The step is below 0, and the start is the size of the axis; a start at the last element is right.
rule: ONNX Slice-13: for a step below 0 the start is clamped to [0, dims[axis] - 1].
documented: data/quirks.tsv, Slice
tracker: https://github.com/iree-org/iree/issues/24584 is about other slices backwards
"""
from library import SECONDS, call, right, verdict, wrong


def backwards(start):
    return call("""(float[4] x) => (float[4] y)
        <int64[1] start = {%d}, int64[1] end = {-5}, int64[1] axis = {0}, int64[1] step = {-1}>
        { y = Slice(x, start, end, axis, step) }""" % start, [1, 2, 3, 4])


wrong("a start behind the last element", backwards(4), [4, 3, 2, 1], seconds=SECONDS)
right("a start at the last element", backwards(3), [4, 3, 2, 1], seconds=SECONDS)
verdict()

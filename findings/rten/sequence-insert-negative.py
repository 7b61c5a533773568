"""
title: SequenceInsert at a negative position puts the tensor one place too late.
library: rten
shows: 0.27.0
class: bug
condition: The position is negative.
rule: ONNX SequenceInsert-11, input position: a negative value means counting positions from the back, and the accepted
    range is [-n, n] for a sequence of n tensors; -1 is before the last one.
documented: data/quirks.tsv, SequenceInsert
tracker: none found
"""
from library import call, right, verdict, wrong


def last(position):
    """The last one of b, c after a has been put in."""
    return call("""(float[1] a, float[1] b, float[1] c) => (float[1] y) <int64 at = {%d}, int64 end = {2}>
        { s = SequenceConstruct(b, c) t = SequenceInsert(s, a, at) y = SequenceAt(t, end) }""" % position,
                [1], [2], [3])


wrong("before the last one", last(-1), [3], seen=[1])
right("the same position from the front", last(1), [3])
verdict()

"""
title: OneHot whose axis is left out puts the new axis first; the last place is right.
library: MNN
shows: 3.6.1
class: bug
condition: axis is left out.  An explicit -1 is right.
rule: ONNX OneHot-11, attribute axis, default -1.
documented: docs/methods/fuzz.md, Found
tracker: none found
"""
from library import array, call, right, verdict, wrong

def one_hot(axis):
    return call("""(int32[2] i) => (float[n,m] y) <int32 depth = {3}, float[2] v = {0, 1}>
        { y = OneHot%s(i, depth, v) }""" % axis, [0, 2])


last = array([2, 3], [1, 0, 0, 0, 0, 1])
wrong("no axis", one_hot(""), last, seen=array([3, 2], [1, 0, 0, 0, 0, 1]))
right("axis -1", one_hot("<axis = -1>"), last)
verdict()

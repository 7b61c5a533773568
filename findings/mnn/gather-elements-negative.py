"""
title: GatherElements with negative indices gives 0; they count from the end.
library: MNN
shows: 3.6.1
class: bug
condition: A negative index.
rule: ONNX GatherElements-13: indices are within -s and s - 1.
documented: data/quirks.tsv, GatherElements
tracker: none found
"""
from library import call, right, verdict, wrong

def gather(i, j):
    return call("(float[3] x) => (float[2] y) <int64[2] i = {%d, %d}> { y = GatherElements<axis = 0>(x, i) }" % (i, j),
                [1, 2, 3])


wrong("-1 and -2", gather(-1, -2), [3, 2], seen=[0, 0])
right("2 and 1", gather(2, 1), [3, 2])
verdict()

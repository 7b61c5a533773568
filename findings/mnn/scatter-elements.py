"""
title: ScatterElements ignores reduction, and leaves elements of negative indices as they were.
library: MNN
shows: 3.6.1
class: bug
condition: A reduction other than none, or a negative index.
rule: ONNX ScatterElements-18: attribute reduction; indices are within -s and s - 1.
documented: data/quirks.tsv, ScatterElements
tracker: none found
"""
from library import call, right, verdict, wrong

def scatter(i, more=""):
    return call("""(float[3] x, float[1] u) => (float[3] y) <int64[1] i = {%d}>
        { y = ScatterElements<axis = 0%s>(x, i, u) }""" % (i, more), [1, 2, 3], [9], opset=18)


wrong("-1", scatter(-1), [1, 2, 9], seen=[1, 2, 3])
wrong("reduction add", scatter(1, ', reduction = "add"'), [1, 11, 3], seen=[1, 9, 3])
right("2", scatter(2), [1, 2, 9])
verdict()

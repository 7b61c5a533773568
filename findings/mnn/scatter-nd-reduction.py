"""
title: ScatterND ignores reduction: the update replaces the element.
library: MNN
shows: 3.6.1
class: bug
condition: A reduction other than none.
rule: ONNX ScatterND-18, attribute reduction.
documented: data/quirks.tsv, ScatterND
tracker: none found
"""
from library import call, right, verdict, wrong

def scatter(more):
    return call("(float[3] x, float[1] u) => (float[3] y) <int64[1,1] i = {1}> { y = ScatterND%s(x, i, u) }" % more,
                [1, 2, 3], [9], opset=18)


wrong("add", scatter('<reduction = "add">'), [1, 11, 3], seen=[1, 9, 3])
wrong("mul", scatter('<reduction = "mul">'), [1, 18, 3], seen=[1, 9, 3])
right("none", scatter(""), [1, 9, 3])
verdict()

"""
title: GatherND with batch_dims takes a negative index from another batch.
library: OpenCV
shows: 5.0.0
class: bug
condition: batch_dims 1, a negative index in a batch behind the first.
rule: ONNX GatherND-13: a negative index counts from the end of its axis; with batch_dims each batch has its own data.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import call, right, verdict, wrong

TEXT = ("(float[2, 2, 1] x) => (float[2, 2, 1] y) <int64[2, 2, 1] i = {0, 1, 1, %d}> "
        "{ y = GatherND<batch_dims = 1>(x, i) }")
X = [1, 2, 3, 4]

wrong("from the end", call(TEXT % -2, X, opset=13), [1, 2, 4, 3], seen=[1, 2, 4, 1])
right("from the beginning", call(TEXT % 0, X, opset=13), [1, 2, 4, 3])
verdict()

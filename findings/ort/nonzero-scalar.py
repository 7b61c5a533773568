"""
title: NonZero of a tensor without axes returns indices of shape [1, N]; [0, N] is right.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: bug
condition: The input has no axes.
rule: ONNX NonZero-13: a row of indices for each axis; "for scalar input, output shape is (0, N)".
documented: data/quirks.tsv, NonZero
tracker: https://github.com/microsoft/onnxruntime/issues/11232 (the fix is in
    https://github.com/microsoft/onnxruntime/pull/32360, open)
"""
import numpy as np

from library import array, model, right, run, verdict, wrong


def nonzero(shape, rows):
    m = model("(float%s x) => (int64[%d,n] y) { y = NonZero(x) }" % (shape, rows))
    return lambda: run(m, 2.0)


wrong("2, no axes", nonzero("", 0), array([0, 1], [], np.int64), seen=array([1, 1], [0], np.int64))
right("2, one axis", nonzero("[1]", 1), array([1, 1], [0], np.int64))
verdict()

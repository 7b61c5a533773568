"""
title: NonZero gives a list of one number for each axis of the input, which nobody set; a column of indices for each
    element that is not 0 is right.
library: OpenCV
shows: 5.0.0
class: bug
condition: The classic engine.  The new engine is right.
rule: ONNX NonZero-13: the indices of the elements that are non-zero, as numpy.nonzero gives them, an array of two axes.
documented: docs/methods/equiv.md, Libraries without a list; data/quirks.tsv, NonZero
tracker: none found
found: equiv
"""
import numpy as np
from library import NEW, array, call, right, verdict, wrong

CLASSIC = 1


def nonzero(engine=NEW):
    return call("(float[2,2] x) => (int64[2,2] y) { y = NonZero(x) }", [4, 0, 1, 0], engine=engine)


wrong("the shape, the classic engine", lambda: list(nonzero(CLASSIC)()[0].shape), [2, 2], seen=[2])
right("the new engine", nonzero(), array([2, 2], [0, 1, 0, 0], np.int64))
verdict()

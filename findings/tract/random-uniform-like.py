"""
title: RandomUniformLike is refused: the library wants the attribute shape, which only RandomUniform has.
library: tract
shows: 0.23.9
class: bug
condition: Any.  RandomUniform is right.
rule: ONNX RandomUniformLike-1: the shape is that of the input.
documented: data/quirks.tsv, RandomUniformLike
tracker: none found
"""
import numpy as np

from library import Refused, model, right, run, verdict, wrong


def between(text):
    """1 for each number between 0 and 1; what they are is chance."""
    m = model("(float[2] x) => (float[2] y) { %s }" % text)

    def call():
        y = run(m, [0, 0])[0]
        return np.logical_and(y >= 0, y < 1)
    return call


wrong("RandomUniformLike", between("y = RandomUniformLike(x)"), [True, True],
      seen=Refused("expected attribute 'shape'"))
right("RandomUniform", between("r = RandomUniform<shape = [2]>() y = Add(r, x)"), [True, True])
verdict()

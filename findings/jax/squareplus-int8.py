"""
title: jax.nn.squareplus of the int8 number -128 is -63, and never below 0 by its formula: the square wraps.
library: jax
shows: 0.10.2
class: bug
condition: int8 numbers of 12 and more, or -12 and less.  The same numbers of int32 are right; the result is float32.
rule: jax.nn.squareplus: (x + sqrt(x² + b)) / 2, which is above 0.
documented: docs/methods/equiv.md, Full runs
tracker: none found
found: equiv
"""
import numpy as np

from library import right, verdict, with_jax, wrong


def of(number, kind):
    return with_jax(lambda jax: np.asarray(jax.nn.squareplus(jax.numpy.asarray(number, kind))))


def squareplus(x):
    return np.float32((x + np.sqrt(x * x + 4.0)) / 2)


wrong("-128", of(-128, "int8"), squareplus(-128), seen=np.float32(-63))
wrong("16", of(16, "int8"), squareplus(16), seen=np.float32(9))
right("-128 of int32", of(-128, "int32"), squareplus(-128))
right("3", of(3, "int8"), squareplus(3))
verdict()

"""
title: jax.nn.standardize of int8 numbers is off by thousands: squares wrap before their mean is taken.
library: jax
shows: 0.10.2
class: bug
condition: int8 numbers of 12 and more, by the default algorithm, "fast".  int32 and float32 are right.
rule: jax.nn.standardize: to zero mean and unit variance.
documented: docs/methods/equiv.md, Full runs
tracker: none found
found: equiv
"""
import numpy as np

from library import right, verdict, with_jax, wrong

NUMBERS = [-55, 31, 20, 105]


def of(kind):
    return with_jax(lambda jax: np.asarray(jax.nn.standardize(jax.numpy.asarray(NUMBERS, kind))))


x = np.float64(NUMBERS)
RIGHT = ((x - x.mean()) / np.sqrt(x.var() + 1e-5)).astype(np.float32)
wrong("int8", of("int8"), RIGHT)
right("int32", of("int32"), RIGHT)
right("float32", of("float32"), RIGHT)
verdict()

"""
title: jax.nn.softmax of int8 numbers more than 127 apart is wrong, or NaN: their differences wrap.
library: jax
shows: 0.10.2
class: bug
condition: int8 numbers of which two are more than 127 apart; jax.nn.log_softmax too.  int32 of the same numbers, and
    int8 numbers that are closer, are right.  The result is float32 in all cases.
rule: jax.nn.softmax: rescales elements to the range [0, 1], such that they sum to 1.
documented: docs/methods/equiv.md, Full runs
tracker: none found
found: equiv
"""
import numpy as np

from library import right, verdict, with_jax, wrong

FAR, NEAR = [42, 18, -122], [3, 2, 1]


def of(function, numbers, kind):
    return with_jax(lambda jax: np.asarray(getattr(jax.nn, function)(jax.numpy.asarray(numbers, kind))))


def softmax(numbers):
    powers = np.exp(np.float64(numbers) - max(numbers))
    return (powers / powers.sum()).astype(np.float32)


wrong("int8", of("softmax", FAR, "int8"), softmax(FAR))
wrong("log_softmax of int8", of("log_softmax", FAR, "int8"), np.float32([0, -24, -164]))
right("int32", of("softmax", FAR, "int32"), softmax(FAR))
right("int8 that are close", of("softmax", NEAR, "int8"), softmax(NEAR))
verdict()

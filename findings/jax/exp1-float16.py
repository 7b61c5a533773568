"""
title: jax.scipy.special.exp1 of the float16 number 1.371 is NaN; 0.1215 is right.
library: jax
shows: 0.10.2
class: bug
condition: some float16 numbers between 1 and 4, by the expansion for numbers above 1; more of them where an array
    has other numbers too.  Numbers up to 1, and float32, are right.
rule: jax.scipy.special.exp1: the integral of exp(-t) / t from x to infinity, finite for each finite x above 0.
documented: docs/methods/equiv.md, Full runs
tracker: none found
found: equiv
"""
import numpy as np

from library import right, verdict, with_jax, wrong

AT = [1.371]
NAN = np.full(1, np.nan, np.float16)


def of(numbers, kind):
    return with_jax(lambda jax: np.asarray(jax.scipy.special.exp1(jax.numpy.asarray(numbers, kind))))


def integral(x):
    """-γ - ln x - Σ (-x)^k / (k k!)."""
    total, term = -np.euler_gamma - np.log(x), 1.0
    for k in range(1, 60):
        term *= -x / k
        total -= term / k
    return total


def of_type(numbers, kind):
    return integral(np.asarray(numbers, kind).astype(float)).astype(kind)


wrong("1.371", of(AT, "float16"), of_type(AT, np.float16), seen=NAN)
wrong("1.004", of([1.004], "float16"), of_type([1.004], np.float16), seen=NAN)
right("float32", of(AT, "float32"), of_type(AT, np.float32))
right("0.5 of float16", of([0.5], "float16"), of_type([0.5], np.float16))
verdict()

"""
title: 3e38 divided by a scalar 3e38 is 0, and inf divided by it NaN; 1 and inf are right.
library: jax
shows: 0.10.2
class: bug
compiler: XLA
condition: float32, an array by a scalar or, in jax.jit, by a constant array, of numbers above 8.5e37: XLA multiplies
    by the inverse, which is too small for a normal number.  In jax.jit complex64 from some 2e19 on.  A divisor that
    is an array and no constant is right.
rule: jax.numpy.divide: element-wise division; IEEE 754: x / x is 1, inf by a finite number is inf.
documented: docs/methods/equiv.md, Documented functions
tracker: none found; https://github.com/jax-ml/jax/issues/38632 (closed) is about -inf times a subnormal number, which
    is NaN as well
"""
import numpy as np

from library import right, verdict, with_jax, wrong

D = np.float32(3e38)
X, C = np.array([D, np.inf], np.float32), np.array([D], np.complex64)
RIGHT = np.array([1, np.inf], np.float32)


def of(function, *values):
    return with_jax(lambda jax: np.asarray(function(jax)(*map(jax.numpy.asarray, values))))


wrong("by a scalar", of(lambda jax: lambda x: x / D, X), RIGHT, seen=np.array([0, np.nan], np.float32))
wrong("by a constant array, compiled", of(lambda jax: jax.jit(lambda x: x / np.array([D, D])), X), RIGHT,
      seen=np.array([0, np.nan], np.float32))
wrong("by a complex constant, compiled", of(lambda jax: jax.jit(lambda x: x / C), C), np.array([1], np.complex64),
      seen=np.array([0], np.complex64))
right("by an array", of(lambda jax: lambda x, y: x / y, X, np.array([D, D])), RIGHT)
right("by an array, compiled", of(lambda jax: jax.jit(lambda x, y: x / y), X, np.array([D, D])), RIGHT)
verdict()

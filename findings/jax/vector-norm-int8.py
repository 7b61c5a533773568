"""
title: jnp.linalg.vector_norm of int8 numbers is the root of squares that wrapped: 7.35 in place of 225.83.
library: jax
shows: 0.10.2
class: bug
condition: int8 numbers whose squares add up to more than 127, order 2.  jnp.linalg.norm of the same numbers, numpy's
    linalg.vector_norm and int32 are right.
rule: jax.numpy.linalg.vector_norm: JAX implementation of numpy.linalg.vector_norm, which gives 225.83.
documented: docs/methods/equiv.md, Full runs
tracker: none found
found: equiv
"""
import numpy as np

from library import right, verdict, with_jax, wrong

NUMBERS = np.int8([-48, 104, 123, -2, 101, 112])
NORM = np.float32(np.sqrt((NUMBERS.astype(float) ** 2).sum()))


def of(function, kind):
    return with_jax(lambda jax: np.asarray(getattr(jax.numpy.linalg, function)(jax.numpy.asarray(NUMBERS, kind))))


wrong("int8", of("vector_norm", "int8"), NORM, seen=np.float32(np.sqrt(54)))
right("int32", of("vector_norm", "int32"), NORM)
right("norm of int8", of("norm", "int8"), NORM)
right("numpy's norm of int8", lambda: np.float32(np.linalg.norm(NUMBERS)), NORM)
verdict()

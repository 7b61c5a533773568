"""
title: jnp.linalg.vector_norm of whole numbers is 1 for order 3, whatever they are; jnp.linalg.norm is right.
library: jax
shows: 0.10.2
class: bug
condition: whole numbers of any type, orders other than 0, 1, 2 and infinity: the root is the power 1 / order as a
    whole number, which is 0.  Floats are right.
rule: jax.numpy.linalg.vector_norm: JAX implementation of numpy.linalg.vector_norm, which gives 6.
documented: docs/methods/equiv.md, Full runs
tracker: none found
found: equiv
"""
import numpy as np

from library import right, verdict, with_jax, wrong

NUMBERS = [3, 4, 5]  # 27 + 64 + 125 = 6³


def of(function, order, kind="int32"):
    return with_jax(lambda jax: np.asarray(
        getattr(jax.numpy.linalg, function)(jax.numpy.asarray(NUMBERS, kind), ord=order)))


wrong("order 3", of("vector_norm", 3), np.float32(6), seen=1)
wrong("order 4", of("vector_norm", 4), np.float32(962 ** 0.25), seen=1)
right("floats", of("vector_norm", 3, "float32"), np.float32(6))
right("norm", of("norm", 3), np.float32(6))
right("order 2", of("vector_norm", 2), np.float32(50 ** 0.5))
verdict()

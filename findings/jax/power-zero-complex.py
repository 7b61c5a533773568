"""
title: jnp.float_power(0, 2 + 1j) of complex64 is NaN; 0 is right, and comes out where both are constants.
library: jax
shows: 0.10.2
class: bug
condition: complex64, base 0 (or a subnormal number) and an exponent with two parts, the real one above 0; call by call
    and under jax.jit.  Under jax.jit with two constants, and with an exponent that has no imaginary part, it is right.
rule: jax.numpy.float_power and jax.numpy.power: JAX implementation of numpy.float_power and numpy.power, which give 0.
documented: docs/methods/equiv.md, Documented functions
tracker: none found
"""
import numpy as np

from library import right, verdict, with_jax, wrong

ZERO, TWO = np.array([0], np.complex64), np.array([2], np.complex64)
BOTH, NAN = np.array([2 + 1j], np.complex64), np.array([complex(np.nan, np.nan)], np.complex64)


def of(function, *values):
    return with_jax(lambda jax: np.asarray(function(jax)(*map(jax.numpy.asarray, values))))


wrong("float_power", of(lambda jax: jax.numpy.float_power, ZERO, BOTH), ZERO, seen=NAN)
wrong("power", of(lambda jax: jax.numpy.power, ZERO, BOTH), ZERO, seen=NAN)
wrong("compiled", of(lambda jax: jax.jit(jax.numpy.float_power), ZERO, BOTH), ZERO, seen=NAN)
right("compiled with constants", of(lambda jax: jax.jit(lambda: jax.numpy.float_power(ZERO, BOTH))), ZERO)
right("an exponent of one part", of(lambda jax: jax.numpy.float_power, ZERO, TWO), ZERO)
right("numpy", lambda: np.float_power(ZERO, BOTH).astype(np.complex64), ZERO)
verdict()

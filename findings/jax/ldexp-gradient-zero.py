"""
title: The gradient of jnp.ldexp(x, n) by x is 1 where x is 0 or infinite; 2 ** n is right.
library: jax
shows: 0.10.2
class: bug
condition: x is 0, -0 or infinite, n is not 0; reverse mode and forward mode.  Elsewhere, for subnormal numbers too, it
    is right.
rule: jax.numpy.ldexp: x1 * 2 ** x2, whose derivative by x1 is 2 ** x2 everywhere.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: https://github.com/jax-ml/jax/issues/37992
"""
import numpy as np

from library import right, verdict, with_jax, wrong


def slope(x, n):
    return with_jax(lambda jax: np.asarray(jax.grad(lambda t: jax.numpy.ldexp(t, n))(x)))


def forward(x, n):
    return with_jax(lambda jax: np.asarray(jax.jvp(lambda t: jax.numpy.ldexp(t, n), (x,), (1.0,))[1]))


wrong("0 and 2", slope(0.0, 2), 4.0, seen=1.0)
wrong("-0 and 2", slope(-0.0, 2), 4.0, seen=1.0)
wrong("0 and 2, forward mode", forward(0.0, 2), 4.0, seen=1.0)
wrong("inf and 2", slope(float("inf"), 2), 4.0, seen=1.0)
right("1 and 2", slope(1.0, 2), 4.0)
right("0 and 0", slope(0.0, 0), 1.0)
verdict()

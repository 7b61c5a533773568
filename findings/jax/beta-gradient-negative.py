"""
title: The gradient of jax.scipy.special.beta is NaN where a + b is below 0; forward mode gives the right number.
library: jax
shows: 0.10.2
class: bug
condition: reverse mode, a + b below 0 and none of the three a whole number.  jax.jvp of the same call, the function
    itself, and reverse mode where a + b is above 0, are right.
rule: jax.scipy.special.beta: Γ(a) Γ(b) / Γ(a + b), whose derivative by a is beta(a, b) (ψ(a) - ψ(a + b)).
documented: docs/methods/equiv.md, Full runs
tracker: none found
found: equiv
"""
import math

import numpy as np

from library import right, verdict, with_jax, wrong

A, B = -3.25, 1.125


def beta(a, b):
    return math.gamma(a) * math.gamma(b) / math.gamma(a + b)


def difference(a, b, step=1e-5):
    return np.float32((beta(a + step, b) - beta(a - step, b)) / (2 * step))


def value(a, b):
    return with_jax(lambda jax: np.asarray(jax.scipy.special.beta(a, b)))


def reverse(a, b):
    return with_jax(lambda jax: np.asarray(jax.grad(jax.scipy.special.beta)(a, b)))


def forward(a, b):
    return with_jax(lambda jax: np.asarray(jax.jvp(lambda t: jax.scipy.special.beta(t, b), (a,), (1.0,))[1]))


wrong("reverse mode", reverse(A, B), difference(A, B), seen=np.float32(np.nan))
wrong("both below 0", reverse(-0.875, -1.5), difference(-0.875, -1.5), seen=np.float32(np.nan))
right("forward mode", forward(A, B), difference(A, B))
right("the function", value(A, B), np.float32(beta(A, B)))
right("a + b above 0", reverse(-1.625, 1.875), difference(-1.625, 1.875))
verdict()

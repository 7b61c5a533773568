"""
title: The gradient of jnp.vander at 0 is NaN; that of the same powers, written out, is right.
library: jax
shows: 0.10.2
class: bug
condition: a number that is 0, reverse mode and forward mode, increasing or not.  Other numbers, and the matrix itself,
    are right.
rule: jax.numpy.vander: columns are powers 0, 1, 2 … of x, whose derivatives at 0 are 0, 1, 0 …
documented: docs/methods/equiv.md, Full runs
tracker: none found
found: equiv
"""
import numpy as np

from library import right, verdict, with_jax, wrong


def total(jax, numbers, **more):
    return jax.numpy.vander(numbers, **more).sum()


def gradient(numbers, **more):
    return with_jax(lambda jax: np.asarray(jax.grad(lambda x: total(jax, x, **more))(jax.numpy.asarray(numbers))))


def forward(numbers):
    return with_jax(lambda jax: np.asarray(jax.jvp(lambda x: total(jax, x), (jax.numpy.asarray(numbers),),
                                                   (jax.numpy.ones(len(numbers)),))[1]))


def written_out(numbers):
    return with_jax(lambda jax: np.asarray(jax.grad(lambda x: (1 + x + x * x).sum())(jax.numpy.asarray(numbers))))


def slopes(numbers):
    return np.float32([1 + 2 * x for x in numbers])


NAN = np.float32(np.nan)
wrong("0", gradient([0.0, 1.0, 3.0]), slopes([0, 1, 3]), seen=np.float32([NAN, 3, 7]))
wrong("0, increasing", gradient([0.0, 1.0, 3.0], increasing=True), slopes([0, 1, 3]), seen=np.float32([NAN, 3, 7]))
wrong("0, forward mode", forward([0.0, 1.0, 3.0]), slopes([0, 1, 3]).sum(), seen=NAN)
right("other numbers", gradient([2.0, 1.0, -1.5]), slopes([2, 1, -1.5]))
right("1 + x + x * x", written_out([0.0, 1.0, 3.0]), slopes([0, 1, 3]))
verdict()

"""
title: Inside jax.disable_jit() the mantissa of frexp(2^-128) is 2^-128; 0.5 is right.
library: jax
shows: 0.10.2
class: bug
condition: float32, subnormal numbers, inside jax.disable_jit().  Compiled, as jax.numpy.frexp is otherwise, it is
    right.
rule: jax.numpy.frexp, as numpy.frexp: a mantissa of 0.5 up to 1; jax.disable_jit: for debugging, with the same
    results.
documented: docs/methods/equiv.md, Documented functions
tracker: not searched
"""
import numpy as np

from library import right, verdict, with_jax, wrong


def mantissa(x, jit):
    def inner(jax):
        if jit:
            return np.asarray(jax.numpy.frexp(jax.numpy.asarray(np.float32([x])))[0])
        with jax.disable_jit():
            return np.asarray(jax.numpy.frexp(jax.numpy.asarray(np.float32([x])))[0])
    return with_jax(inner)


wrong("2^-128", mantissa(2.0 ** -128, False), np.float32([0.5]), seen=np.float32([2.0 ** -128]))
right("2^-128, compiled", mantissa(2.0 ** -128, True), np.float32([0.5]))
right("2^-126", mantissa(2.0 ** -126, False), np.float32([0.5]))
verdict()

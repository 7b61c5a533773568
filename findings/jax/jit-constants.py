"""
title: jax.jit of (x * 1e30) * 1e30 at 1e-30 is inf, of (x / 1e30) / 1e30 at 1e38 is 0, of (x + 3e38) + 3e38 at -3e38 is
    inf; 1e30, 1e-22 and 3e38 are right.
library: jax
shows: 0.10.2
class: difference
compiler: XLA
condition: jax.jit, two constants one after the other: XLA computes what the constants make together first, which is
    beyond the type.  Without jit, and where x is a constant as well, it is right.
rule: jax.jit: a compiled version of the function; JAX's FAQ says that XLA may rearrange operations, so that results
    differ; that finite numbers become infinite by it is not said there.
documented: docs/methods/equiv.md, Documented functions
tracker: none found; https://github.com/openxla/xla/issues/42732 (closed) is about log(exp(x)) and sqrt(x * x), in
    whose place XLA puts x
"""
import numpy as np

from library import right, verdict, with_jax, wrong


def f32(value):
    return np.array([value], np.float32)


def of(function, x, jit=True):
    return with_jax(lambda jax: np.asarray((jax.jit(function) if jit else function)(jax.numpy.asarray(f32(x)))))


C, D = np.float32(1e30), np.float32(3e38)
wrong("multiplied twice", of(lambda x: (x * C) * C, 1e-30), f32(1e30), seen=f32(np.inf))
wrong("divided twice", of(lambda x: (x / C) / C, 1e38), f32(1e-22), seen=f32(0), abs=1e-28)
wrong("added twice", of(lambda x: (x + D) + D, -3e38), f32(3e38), seen=f32(np.inf))
right("multiplied twice, not compiled", of(lambda x: (x * C) * C, 1e-30, False), f32(1e30))
right("divided twice, not compiled", of(lambda x: (x / C) / C, 1e38, False), f32(1e-22), abs=1e-28)
right("constants that fit together", of(lambda x: (x * np.float32(1e10)) * np.float32(1e10), 1), f32(1e20))
verdict()

"""
title: jax.scipy.special.bessel_jn of float32 numbers below some 3 is NaN, in any order.
library: jax
shows: 0.10.2
class: bug
condition: float32, which is JAX's default, and the default of n_iter.  8 is right, and so is 0.5 in float64.
rule: Bessel functions of the first kind are defined for every real number; J0(0.5) is 0.938.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: https://github.com/jax-ml/jax/pull/17038
"""
import numpy as np

from library import right, verdict, with_jax, wrong

# J0, J1 and J2
HALF, ONE, EIGHT = ([0.938469807, 0.242268458, 0.0306040235], [0.765197687, 0.440050586, 0.114903485],
                    [0.171650807, 0.234636347, -0.11299172])
NAN = [float("nan")] * 3


def of(number, wide=False):
    def call(jax):
        from jax.scipy.special import bessel_jn

        jax.config.update("jax_enable_x64", wide)
        return np.asarray(bessel_jn(jax.numpy.asarray(number, "float64" if wide else "float32"), v=2))
    return with_jax(call)


wrong("0.5", of(0.5), HALF, seen=NAN)
wrong("1", of(1.0), ONE, seen=NAN)
right("8", of(8.0), EIGHT)
right("0.5 in float64", of(0.5, wide=True), HALF)
verdict()

"""
title: jax.scipy.special.bessel_jn of float32 numbers of 3.2 and below is NaN, in any order.
library: jax
shows: 0.10.2
class: bug
condition: float32, which is JAX's default, and the default of n_iter, 50; 0 and negative numbers, too.  3.5 and 8 are
    right.  In float64 it is NaN for 1e-5, and right from 0.001 on.  With an n_iter that fits (15 for 0.5, as in the
    book that the documentation names) it is right.
rule: jax.scipy.special.bessel_jn: "Bessel function of the first kind of integer order and real argument"; J0(0.5) is
    0.938.  The documentation says which n_iter suffices, and of none that it is too large.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: https://github.com/jax-ml/jax/pull/17038
"""
import numpy as np

from library import right, verdict, with_jax, wrong

# J0, J1 and J2
HALF, ONE, EIGHT = ([0.938469807, 0.242268458, 0.0306040235], [0.765197687, 0.440050586, 0.114903485],
                    [0.171650807, 0.234636347, -0.11299172])
NAN = [float("nan")] * 3


def of(number, wide=False, **options):
    def call(jax):
        from jax.scipy.special import bessel_jn

        jax.config.update("jax_enable_x64", wide)
        return np.asarray(bessel_jn(jax.numpy.asarray(number, "float64" if wide else "float32"), v=2, **options))
    return with_jax(call)


wrong("0.5", of(0.5), HALF, seen=NAN)
wrong("1", of(1.0), ONE, seen=NAN)
wrong("0", of(0.0), [1, 0, 0], seen=NAN)
right("8", of(8.0), EIGHT)
right("0.5, n_iter 15", of(0.5, n_iter=15), HALF)
right("0.5 in float64", of(0.5, wide=True), HALF)
verdict()

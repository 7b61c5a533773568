"""
title: A sum of 32 arrays cannot be computed ("no attribute 'ufunc'"); 31 can.
library: pytensor
shows: 3.0.7
class: bug
condition: By NumPy (the linker py, as in mode FAST_COMPILE), where a rewrite makes one operation of all additions.
    Compiled, which is the default, it is right.
rule: Rewrites do not change what a graph computes.
documented: docs/methods/check.md, The papers' own backends
tracker: https://github.com/pymc-devs/pytensor/pull/1050
"""
import numpy as np

from library import Refused, pt, pytensor, right, verdict, wrong


def summed(n, mode):
    def call():
        xs = [pt.vector(dtype="float64") for _ in range(n)]
        y = xs[0]
        for x in xs[1:]:
            y = y + x
        return pytensor.function(xs, y, mode=mode)(*[np.ones(2)] * n)
    return call


wrong("32 terms, FAST_COMPILE", summed(32, "FAST_COMPILE"), [32, 32], seen=Refused("ufunc"))
right("31 terms, FAST_COMPILE", summed(31, "FAST_COMPILE"), [31, 31])
right("32 terms, the default mode", summed(32, None), [32, 32], seconds=300)
verdict()

"""
title: linalg.eigvals of a matrix with NaN or infinity kills the process (SIGSEGV).
library: torch
shows: 2.15.0
class: limit
condition: Two rows or more, on the CPU.  A matrix of one element is answered.
rule: torch.linalg: no promise is made for inputs that are not finite; the documentation names a crash as possible.
documented: docs/methods/equiv.md, What was measured
tracker: https://github.com/pytorch/pytorch/issues/93124
"""
import numpy as np

from library import Died, Refused, right, torch, verdict, wrong


def values(n, x):
    return lambda: np.abs(torch.linalg.eigvals(torch.full((n, n), x)).numpy()).max()


wrong("2 x 2, NaN", values(2, float("nan")), Refused(), seen=Died("SIGSEGV"))
wrong("2 x 2, infinity", values(2, float("inf")), Refused(), seen=Died("SIGSEGV"))
right("1 x 1, NaN", values(1, float("nan")), float("nan"))
right("2 x 2, ones", values(2, 1.0), 2)
verdict()

"""
title: fmod and remainder of float32 or float64 tensors of several elements are NaN where the quotient is too large for
    the type; a finite remainder is right.
library: torch
shows: 2.15.0
class: bug
condition: float32 or float64, a quotient beyond the largest number of the type, sixteen elements.  A tensor of one
    element is right; so are sixteen whose quotient fits.
rule: torch.fmod: C++'s std::fmod entrywise, which is exact; torch.remainder: the same up to the sign.
documented: docs/methods/equiv.md, Documented functions
tracker: https://github.com/pytorch/pytorch/issues/193753
"""
import math

from library import right, torch, verdict, wrong

SMALL = 2.0 ** -149  # the smallest float32


def of(f, a, b, n, kind=torch.float32):
    return lambda: f(torch.full((n,), a, dtype=kind), torch.full((n,), b, dtype=kind)).double().numpy()


nan = float("nan")
wrong("fmod, 1 by the smallest number", of(torch.fmod, 1.0, SMALL, 16), [0.0] * 16, seen=[nan] * 16)
wrong("fmod, 2^120 by 3 * 2^-20", of(torch.fmod, 2.0 ** 120, 3 * 2.0 ** -20, 16), [2.0 ** -20] * 16, seen=[nan] * 16)
wrong("remainder, 2^120 by 3 * 2^-20", of(torch.remainder, 2.0 ** 120, 3 * 2.0 ** -20, 16), [2.0 ** -20] * 16,
      seen=[nan] * 16)
wrong("fmod, float64", of(torch.fmod, 1.0, 2.0 ** -1074, 16, torch.float64), [0.0] * 16, seen=[nan] * 16)
right("fmod of one element", of(torch.fmod, 2.0 ** 120, 3 * 2.0 ** -20, 1), [2.0 ** -20])
right("remainder of one element", of(torch.remainder, 2.0 ** 120, 3 * 2.0 ** -20, 1), [2.0 ** -20])
right("a quotient that fits", of(torch.fmod, 2.0 ** 100, 3.0, 16), [math.fmod(2.0 ** 100, 3.0)] * 16)
verdict()

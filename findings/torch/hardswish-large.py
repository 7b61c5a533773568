"""
title: hardswish of float32 numbers above a sixth of the largest is inf; the number itself is right.
library: torch
shows: 2.15.0
class: limit
condition: float32, more than 5.7e37.  Numbers below are right.
rule: torch.nn.functional.hardswish: x where x is at least 3.  PyTorch's notes on numerical accuracy, Extremal values,
    say that a result may overflow where an intermediate one does.
documented: docs/methods/equiv.md, Documented functions
tracker: none found
"""
from library import right, torch, verdict, wrong


def of(value, n):
    return lambda: torch.nn.functional.hardswish(torch.full((n,), value)).double().numpy()


LARGE = 2.0 ** 127
wrong("one element", of(LARGE, 1), [LARGE], seen=[float("inf")])
wrong("sixteen elements", of(LARGE, 16), [LARGE] * 16, seen=[float("inf")] * 16)
right("an eighth of it", of(LARGE / 8, 16), [LARGE / 8] * 16)
right("7", of(7.0, 1), [7])
verdict()

"""
title: The gradient of xlogy(0, y) by y is NaN at y = 0; the function is 0 for every y, and its derivative 0.
library: torch
shows: 2.15.0
class: difference
condition: x = 0 and y = 0.  What the derivative is at the end of y's range is a matter of definition.
rule: torch.special.xlogy: 0 where the first input is 0 and the second is not NaN.
documented: docs/methods/equiv.md, What was measured
tracker: none found; https://github.com/pytorch/pytorch/pull/82713 made the derivative x / y
"""
from library import gradient, right, torch, verdict, wrong


def by_y(x, y):
    return lambda: gradient(lambda v: torch.xlogy(torch.tensor(x, dtype=torch.float64), v), y)


wrong("x = 0, y = 0", by_y(0.0, 0.0), 0, seen=float("nan"))
right("x = 0, y = 1e-300", by_y(0.0, 1e-300), 0)
right("x = 1, y = 2", by_y(1.0, 2.0), 0.5)
verdict()

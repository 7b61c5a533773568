"""
title: torch.trapezoid of the int8 numbers 100, 100 over 0 to 1 is -28; 100 is right.
library: torch
shows: 2.15.0
class: difference
condition: y of int8 numbers, x of float32 ones, neighbours whose sum does not fit int8; likewise cumulative_trapezoid.
    The result is a float32 number, and int32 tensors of the same numbers are right.
rule: torch.trapezoid: the sum of (x[i] - x[i - 1]) / 2 * (y[i] + y[i - 1]).  It does not say in which type y[i] and
    y[i - 1] are added; NumPy's trapezoid adds them in int8, too.
documented: docs/methods/equiv.md, Documented functions
tracker: none found
"""
from library import right, torch, verdict, wrong


def area(name, kind, y):
    return lambda: getattr(torch, name)(torch.tensor([y, y], dtype=kind), torch.tensor([0.0, 1.0])).numpy()


def number(x):
    return torch.tensor(x).numpy()


wrong("100, 100", area("trapezoid", torch.int8, 100), number(100.0), seen=number(-28.0))
wrong("cumulative", area("cumulative_trapezoid", torch.int8, 100), number([100.0]), seen=number([-28.0]))
right("100, 100, int32", area("trapezoid", torch.int32, 100), number(100.0))
right("50, 50", area("trapezoid", torch.int8, 50), number(50.0))
verdict()

"""
title: torch.pow(-inf, -0.5) is NaN, and of -0.0 it is -inf; 0 and inf are right.
library: torch
shows: 2.15.0
class: bug
condition: The exponents 0.5 and -0.5 as numbers: the root is taken instead.  The same exponents as a tensor of the same
    shape are right, and so is torch.compile for -0.5.
rule: IEEE 754, pow: pow(-inf, y) is +0 for y < 0 and +inf for y > 0, if y is no odd whole number; pow(-0, y) is +inf
    for y < 0 likewise.
documented: docs/methods/equiv.md, Documented functions
tracker: https://github.com/pytorch/pytorch/issues/127163 is about -0.0
"""
from library import right, torch, verdict, wrong

INF, NAN = float("inf"), float("nan")


def power(x, exponent):
    return lambda: torch.pow(torch.tensor([x]), exponent).numpy()


def one(x):
    return torch.tensor([x]).numpy()


wrong("-inf, -0.5", power(-INF, -0.5), one(0.0), seen=one(NAN))
wrong("-inf, 0.5", power(-INF, 0.5), one(INF), seen=one(NAN))
wrong("-0.0, -0.5", power(-0.0, -0.5), one(INF), seen=one(-INF))
right("-inf, -0.5 as a tensor", power(-INF, torch.tensor([-0.5])), one(0.0))
right("4, -0.5", power(4.0, -0.5), one(0.5))
verdict()

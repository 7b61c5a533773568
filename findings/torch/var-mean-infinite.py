"""
title: The mean that torch.var_mean and torch.std_mean give of numbers with an infinity is NaN; that infinity is right.
library: torch
shows: 2.15.0
class: bug
condition: One infinity among numbers, or several of one sign.
rule: torch.var_mean gives the variance and the mean; the mean of numbers and an infinity is that infinity.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
"""
import math

from library import right, torch, verdict, wrong

X = torch.tensor([1., -math.inf, 2., 3.])
PLAIN = torch.tensor([1., 0., 2., 5.])

wrong("var_mean", lambda: torch.var_mean(X)[1], -math.inf, seen=math.nan)
wrong("std_mean", lambda: torch.std_mean(X)[1], -math.inf, seen=math.nan)
right("mean", lambda: torch.mean(X), -math.inf)
right("var_mean of numbers", lambda: torch.var_mean(PLAIN)[1], 2.)
verdict()

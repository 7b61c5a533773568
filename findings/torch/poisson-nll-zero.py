"""
title: The gradient of poisson_nll_loss(full=True) by a target of 0 is NaN; -input is right.
library: torch
shows: 2.15.0
class: bug
condition: full=True and a target of 0, whose Stirling term is not added.
rule: torch.nn.PoissonNLLLoss: exp(input) - target * input, and target * log(target) - … for targets above 1 alone.
documented: docs/methods/equiv.md, What was measured
tracker: none found
"""
from library import gradient, right, torch, verdict, wrong


def by_target(target, full):
    given = torch.tensor([0.5], dtype=torch.float64)
    return lambda: gradient(lambda v: torch.nn.functional.poisson_nll_loss(given, v, full=full), [target])


wrong("a target of 0, full", by_target(0.0, True), [-0.5], seen=[float("nan")])
right("a target of 1, full", by_target(1.0, True), [-0.5])
right("a target of 0, not full", by_target(0.0, False), [-0.5])
verdict()

"""
title: The gradient of cosine_similarity is not that of its formula where a norm is below eps.
library: torch
shows: 2.15.0
class: bug
condition: A norm is below eps (1e-8) and not 0.
rule: torch.nn.functional.cosine_similarity: x1 . x2 / (max(|x1|, eps) max(|x2|, eps)); below eps the first maximum is
    constant.
documented: docs/methods/equiv.md, What was measured
tracker: none found; https://github.com/pytorch/pytorch/pull/31378 bounds the norms outside of the gradient
"""
from library import gradient, right, torch, verdict, wrong

b = torch.tensor([3.0, 4.0], dtype=torch.float64)


def by_first(a):
    return lambda: gradient(lambda v: torch.nn.functional.cosine_similarity(v, b, dim=0), a)


# b / (eps |b|) = (0.6, 0.8) / 1e-8
wrong("(1e-9, 2e-9)", by_first([1e-9, 2e-9]), [0.6e8, 0.8e8], seen=[50161300.899, 60322601.798])
right("(0, 0)", by_first([0.0, 0.0]), [0.6e8, 0.8e8])
# b / (|a| |b|) - a (a . b) / (|a|^3 |b|) for a = (1, 2): (3, 4) / (5 sqrt 5) - (1, 2) 11 / (25 sqrt 5)
right("(1, 2)", by_first([1.0, 2.0]), [4 / (25 * 5 ** 0.5), -2 / (25 * 5 ** 0.5)])
verdict()

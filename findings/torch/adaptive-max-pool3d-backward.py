"""
title: adaptive_max_pool3d_backward does not check its indices: one far beyond the input kills the process.
library: torch
shows: 2.15.0
class: bug
condition: torch.ops.aten, an index outside of the input.  It is an inner operation; indices of the forward pass are
    in range.
rule: An index outside of a tensor is to be refused, as torch.gather refuses it.
documented: docs/methods/equiv.md, What was measured
tracker: none found; https://github.com/pytorch/pytorch/issues/141100 is about indices of another shape
"""
from library import Died, Refused, right, torch, verdict, wrong


def backward(index):
    one = torch.ones(1, 1, 1, 1, 1)
    return lambda: torch.ops.aten.adaptive_max_pool3d_backward(one, torch.ones(1, 1, 2, 2, 2),
                                                               one.long() * index).numpy()


wrong("index 2^40", backward(2 ** 40), Refused(), seen=Died())
right("index 7", backward(7), [0, 0, 0, 0, 0, 0, 0, 1])
verdict()

"""
title: grid_sample with zeros as padding is NaN at an infinite place; 0, as at every other place outside, is right.
library: torch
shows: 2.15.0
class: bug
condition: mode='bilinear' on a processor, a place of infinity or -infinity along an axis.  Large finite places are
    right.  A GPU gives 0 (PyTorch 2.11.0 on an NVIDIA H200).
rule: torch.nn.functional.grid_sample: with padding_mode="zeros", 0 is used for places outside [-1, 1]; NaN counts as
    -1.
documented: docs/methods/equiv.md, On a GPU
tracker: https://github.com/pytorch/pytorch/issues/24823 (open)
"""
from library import right, torch, verdict, wrong

INF, NAN = float("inf"), float("nan")


def at(place, **how):
    def call():
        grid = torch.zeros(1, 1, 4, 2)
        grid[..., 0] = place
        return torch.nn.functional.grid_sample(torch.ones(1, 1, 3, 3), grid, padding_mode="zeros",
                                               align_corners=False, **how).reshape(-1).numpy()
    return call


wrong("at -infinity", at(-INF), [0.0] * 4, seen=[NAN] * 4)
wrong("at infinity", at(INF), [0.0] * 4, seen=[NAN] * 4)
right("far outside", at(-1e30), [0.0] * 4)
right("inside", at(0.0), [1.0] * 4)
verdict()

"""
title: interpolate with a scale_factor that leaves the size as it is copies the input.
library: torch
shows: 2.15.0
class: bug
condition: mode linear and the like, align_corners False, a factor such as 1.1 of a size of 2: 2 elements come out.
rule: Documented for recompute_scale_factor: unless it is True, the scale_factor that was given is used in the
    computation.  Element 1 lies at (1 + 0.5) / 1.1 - 0.5 = 0.8636.
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/pytorch/pytorch/issues/70559
"""
from library import right, torch, verdict, wrong


def interpolate(numbers, factor):
    x = torch.tensor(numbers).reshape(1, 1, -1)
    return lambda: torch.nn.functional.interpolate(x, scale_factor=factor, mode="linear").numpy()


wrong("factor 1.1 of 2 elements", interpolate([1.0, 0.0], 1.1), [1, 0.13636367], seen=[1, 0])
right("factor 1.5 of 2 elements", interpolate([1.0, 0.0], 1.5), [1, 0.5, 0])
verdict()

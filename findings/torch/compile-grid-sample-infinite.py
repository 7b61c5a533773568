"""
title: grid_sample at the last pixel is NaN under torch.compile where the first pixel is infinite; that last pixel, 1,
    is right.
library: torch
shows: 2.15.0
class: bug
compiler: torch.compile
condition: torch.compile, mode='bilinear', any padding_mode, a place on or behind the image's border, and a first pixel
    that is infinite or NaN.  PyTorch's formula takes the first pixel for neighbours that lie outside, and 0 times
    infinity is NaN.  Eager PyTorch is right, and so is a place between pixels.
rule: torch.nn.functional.grid_sample: each result is interpolated from the pixels at its place; (1, 1) with
    align_corners=True is the last pixel.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
"""
from library import right, torch, verdict, wrong

INF, NAN = float("inf"), float("nan")


def eager(image, grid):
    return torch.nn.functional.grid_sample(image, grid, "bilinear", "border", align_corners=True)


# the formulas that torch.compile's usual backend takes, without its compiler
compiled = torch.compile(eager, backend="aot_eager_decomp_partition", dynamic=False)


def sampled(f, place, first=INF):
    def call():
        image = torch.ones(1, 1, 3, 3)
        image[0, 0, 0, 0] = first
        return f(image, torch.full((1, 1, 1, 2), place)).reshape(-1).numpy()
    return call


wrong("the last pixel", sampled(compiled, 1.0), [1.0], seen=[NAN])
wrong("behind the border", sampled(compiled, 1.5), [1.0], seen=[NAN])
right("the last pixel, eager", sampled(eager, 1.0), [1.0])
right("between pixels", sampled(compiled, 0.5), [1.0])
right("no infinity", sampled(compiled, 1.0, 1.0), [1.0])
verdict()

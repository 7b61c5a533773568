"""
title: torch.gradient of the int8 numbers 100 and -100 is 56; -200 is right.
library: torch
shows: 2.15.0
class: bug
condition: Whole-number tensors whose differences do not fit their type: these are taken in that type, and the result, a
    float32 number, of what is left of them.  int32 tensors of the same numbers are right; uint8 ones are refused.
rule: torch.gradient: differences of the values over their spacing.  For numpy.gradient of small whole numbers the same
    was a bug, and was fixed (https://github.com/numpy/numpy/issues/15207).
documented: docs/methods/equiv.md, Documented functions
tracker: none found
"""
from library import right, torch, verdict, wrong


def gradient(kind, *values):
    return lambda: torch.gradient(torch.tensor(values, dtype=kind))[0].numpy()


def f32(*values):
    return torch.tensor(values, dtype=torch.float32).numpy()


wrong("100 and -100", gradient(torch.int8, 100, -100), f32(-200, -200), seen=f32(56, 56))
right("100 and -100, int32", gradient(torch.int32, 100, -100), f32(-200, -200))
right("50 and -50", gradient(torch.int8, 50, -50), f32(-100, -100))
verdict()

"""
title: torch.vmap of torch.addbmm gives int64 for int16 tensors, and numbers that do not fit int16; int16 is right.
library: torch
shows: 2.15.0
class: bug
condition: torch.vmap, whole numbers smaller than int64: the products are summed by a sum that widens them.
    baddbmm keeps the type.
rule: torch.vmap maps a function over a batch: each item is what the function gives by itself, which is int16.
documented: docs/methods/equiv.md, Documented functions: what was run
tracker: none found
"""
from library import right, torch, verdict, wrong

ONE, MANY = torch.zeros(1, 1, dtype=torch.int16), torch.full((2, 1, 1), 150, dtype=torch.int16)


def bits(f, *tensors):
    """How many bits each number of the result has: numbers alone may be equal."""
    return f(*tensors).element_size() * 8


def mapped(f):
    return lambda *tensors: torch.vmap(f)(*[torch.stack([t, t]) for t in tensors])[0]


wrong("addbmm", lambda: bits(mapped(torch.addbmm), ONE, MANY, MANY), 16, seen=64)
right("addbmm by itself", lambda: bits(torch.addbmm, ONE, MANY, MANY), 16)
right("baddbmm", lambda: bits(mapped(torch.baddbmm), MANY, MANY, MANY), 16)
verdict()

"""
title: torch.masked.logaddexp of int32 numbers and floats is whole numbers, [3, 3]; [3.13, 3.31] is right.
library: torch
shows: 2.15.0
class: bug
condition: The first tensor is of whole numbers, the second of floats, without masks and dtype.  The other way round,
    and of two tensors of floats, it is right; two of whole numbers are refused, as by torch.logaddexp.
rule: torch.masked.logaddexp: "Returns logaddexp of all the elements in the input and the other tensor"; torch.logaddexp
    of the same two gives floats.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
found: equiv
"""
import math

from library import right, torch, verdict, wrong

WHOLE, FLOATS = torch.tensor([1, 2], dtype=torch.int32), torch.tensor([3., 3.])
SUMS = [round(math.log(math.exp(a) + math.exp(3)), 2) for a in (1, 2)]


def added(function, first, second):
    return lambda: function(first, second).double().numpy().round(2)


wrong("int32 and float32", added(torch.masked.logaddexp, WHOLE, FLOATS), SUMS, seen=[3, 3])
right("float32 and int32", added(torch.masked.logaddexp, FLOATS, WHOLE), SUMS)
right("float32", added(torch.masked.logaddexp, WHOLE.float(), FLOATS), SUMS)
right("torch.logaddexp", added(torch.logaddexp, WHOLE, FLOATS), SUMS)
verdict()

"""
title: softmin of the uint8 numbers 1 and 0 with dtype=torch.float64 is [1, 0]; [0.27, 0.73] is right.
library: torch
shows: 2.15.0
class: bug
condition: torch.nn.functional.softmin with dtype, of uint8 numbers above 0, or of the smallest int8: the input is
    negated in its own type, where it wraps, and converted after that.  int16 tensors of the same numbers are right.
rule: torch.nn.functional.softmin, dtype: "the input tensor is casted to dtype before the operation is performed.
    This is useful for preventing data type overflows", and "Softmin(x) = Softmax(-x)".  Whether whole numbers should
    be taken with dtype at all is asked in https://github.com/pytorch/pytorch/issues/68752 (open); of this result it
    says nothing.
documented: docs/methods/equiv.md, Documented functions
tracker: none found
"""
from library import right, torch, verdict, wrong


def softmin(kind, *values):
    return lambda: torch.nn.functional.softmin(torch.tensor(values, dtype=kind), 0, dtype=torch.float64).numpy()


def softmax(*values):
    return torch.softmax(torch.tensor(values, dtype=torch.float64), 0).numpy()


wrong("uint8 1 and 0", softmin(torch.uint8, 1, 0), softmax(-1, 0), seen=softmax(255, 0))
wrong("int8 -128 and 0", softmin(torch.int8, -128, 0), softmax(128, 0), seen=softmax(-128, 0))
right("int16 1 and 0", softmin(torch.int16, 1, 0), softmax(-1, 0))
right("int8 -127 and 0", softmin(torch.int8, -127, 0), softmax(127, 0))
verdict()

"""
title: torch.div of the smallest number of int32 or int64 and -1 with rounding_mode="trunc" ends the process.
library: torch
shows: 2.15.0
class: bug
condition: int32 and int64, of tensors and of a tensor and the number -1.  int8 and int16 wrap around, and so do
    rounding_mode="floor" and torch.floor_divide; torch.fmod and torch.remainder give 0.
rule: torch.div: "trunc" rounds the results of the division towards zero.  What becomes of a result that does not fit
    is not documented; floor and the narrower types wrap it around, and an error would do, too.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: https://github.com/pytorch/pytorch/issues/138425, which names floor as well: that is mended in 2.15.0
"""
from library import Died, right, torch, verdict, wrong

LEAST = -2 ** 31


def quotient(mode, by, number=LEAST, kind=torch.int32):
    return lambda: torch.div(torch.tensor([number], dtype=kind), torch.tensor([by], dtype=kind),
                             rounding_mode=mode).numpy()


wrong("-2^31 and -1", quotient("trunc", -1), [LEAST], seen=Died("SIGFPE"))
wrong("-2^63 and -1, int64", quotient("trunc", -1, -2 ** 63, torch.int64), [-2 ** 63], seen=Died("SIGFPE"))
right("-128 and -1, int8", quotient("trunc", -1, -128, torch.int8), [-128])
right("-2^31 and -1, floor", quotient("floor", -1), [LEAST])
right("-2^31 and 2", quotient("trunc", 2), [-2 ** 30])
verdict()

"""
title: torch.div of the smallest number of int32 and -1 with rounding_mode="trunc" ends the process.
library: torch
shows: 2.15.0
class: bug
condition: int32; torch.floor_divide, torch.fmod and rounding_mode="floor" of the same numbers give an answer.
rule: torch.div: the quotient, rounded toward zero.  What does not fit wraps around, as rounding_mode="floor" has it.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
"""
from library import Died, right, torch, verdict, wrong

LEAST = -2 ** 31


def quotient(mode, by):
    return lambda: torch.div(torch.tensor([LEAST], dtype=torch.int32), torch.tensor([by], dtype=torch.int32),
                             rounding_mode=mode).numpy()


wrong("-2^31 and -1", quotient("trunc", -1), [LEAST], seen=Died("SIGFPE"))
right("-2^31 and -1, floor", quotient("floor", -1), [LEAST])
right("-2^31 and 2", quotient("trunc", 2), [-2 ** 30])
verdict()

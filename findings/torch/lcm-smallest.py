"""
title: lcm of the smallest number of int32 or int64 and 5 kills the process (SIGFPE).
library: torch
shows: 2.15.0
class: bug
condition: The smallest number of the type, and another by which Euclid's algorithm on its negative magnitude ends
    with -1
    (5 for both types).  3 is right, and so are int8 and int16.
rule: torch.lcm: an element-wise least common multiple.  What does not fit wraps around, as in NumPy.
documented: docs/methods/equiv.md, What was measured
tracker: https://github.com/pytorch/pytorch/issues/121343
"""
from library import Died, right, torch, verdict, wrong


def lcm(a, b, kind):
    return lambda: torch.lcm(torch.tensor([a], dtype=kind), torch.tensor([b], dtype=kind)).numpy()


# 5 * 2^31 and 5 * 2^63 wrap around to the smallest number
wrong("-2^31 and 5, int32", lcm(-2 ** 31, 5, torch.int32), [-2 ** 31], seen=Died("SIGFPE"))
wrong("-2^63 and 5, int64", lcm(-2 ** 63, 5, torch.int64), [-2 ** 63], seen=Died("SIGFPE"))
right("-2^31 and 3, int32", lcm(-2 ** 31, 3, torch.int32), [-2 ** 31])
right("6 and 4, int32", lcm(6, 4, torch.int32), [12])
verdict()

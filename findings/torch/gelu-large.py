"""
title: gelu of float32 numbers above half of the largest is inf in a tensor of several elements; the number itself is
    right.
library: torch
shows: 2.15.0
class: limit
condition: float32, approximate='none', more than 1.7e38, a tensor of 4 elements or more.  A tensor of one element is
    right, and so are approximate='tanh', float64 and float16.
rule: torch.nn.functional.gelu: x * Φ(x), and Φ of large numbers is 1.  PyTorch's notes on numerical accuracy, Extremal
    values, say that a result may overflow where an intermediate one does.
documented: docs/methods/equiv.md, Documented functions
tracker: none found; https://github.com/pytorch/pytorch/issues/185770 is about infinite numbers, which give NaN
"""
from library import right, torch, verdict, wrong

gelu = torch.nn.functional.gelu


def of(value, n, kind=torch.float32, **how):
    return lambda: gelu(torch.full((n,), value, dtype=kind), **how).double().numpy()


LARGE = 1.5 * 2.0 ** 127  # float32 has it exactly, and its double is no float32 any more
wrong("four elements", of(LARGE, 4), [LARGE] * 4, seen=[float("inf")] * 4)
wrong("sixteen elements", of(LARGE, 16), [LARGE] * 16, seen=[float("inf")] * 16)
right("one element", of(LARGE, 1), [LARGE])
right("half as large", of(LARGE / 2, 16), [LARGE / 2] * 16)
right("approximate='tanh'", of(LARGE, 16, approximate="tanh"), [LARGE] * 16)
right("float64", of(2.0 ** 1023, 16, torch.float64), [2.0 ** 1023] * 16)
verdict()

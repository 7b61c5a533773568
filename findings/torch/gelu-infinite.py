"""
title: gelu of infinity is NaN in a float32 tensor of several elements; infinity is right.
library: torch
shows: 2.15.0
class: bug
condition: float32, approximate='none', two elements or more.  A tensor of one element is right, and so are
    approximate='tanh' and float64.
rule: torch.nn.functional.gelu: x * Φ(x), and Φ of infinity is 1.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: https://github.com/pytorch/pytorch/issues/185770 (open)
"""
from library import right, torch, verdict, wrong

INF, NAN = float("inf"), float("nan")


def of(n, kind=torch.float32, **how):
    return lambda: torch.nn.functional.gelu(torch.full((n,), INF, dtype=kind), **how).double().numpy()


wrong("two elements", of(2), [INF] * 2, seen=[NAN] * 2)
wrong("sixteen elements", of(16), [INF] * 16, seen=[NAN] * 16)
right("one element", of(1), [INF])
right("approximate='tanh'", of(16, approximate="tanh"), [INF] * 16)
right("float64", of(16, torch.float64), [INF] * 16)
verdict()

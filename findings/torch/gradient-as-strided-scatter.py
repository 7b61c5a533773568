"""
title: The gradient of torch.as_strided_scatter by its input is there where the input was overwritten, and 0 where it
    was kept; the opposite is right.
library: torch
shows: 2.15.0
class: bug
condition: Reverse mode, by the first argument.  The gradient by src and forward mode are right; slice_scatter, which
    does the same, is right.
rule: torch.as_strided_scatter embeds src into input: elements that src replaces are no longer those of input.
documented: docs/methods/equiv.md, Documented functions: what was run
tracker: none found
"""
from library import right, slope, torch, verdict, wrong

WEIGHTS = torch.tensor([1., 10., 100.], dtype=torch.float64)
SOURCE = torch.tensor([4., 5.], dtype=torch.float64)


def strided(x, src=SOURCE):
    return WEIGHTS * torch.as_strided_scatter(x, src, (2,), (1,), 0)


def sliced(x):
    return WEIGHTS * torch.slice_scatter(x, SOURCE, 0, 0, 2)


def gradient(f, x):
    x = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    f(x).sum().backward()
    return x.grad.numpy()


START = [1., 2., 3.]
wrong("the first two of three are replaced", lambda: gradient(strided, START), [0, 0, 100], seen=[1, 10, 0])
right("the same by differences", lambda: slope(strided, START), [0, 0, 100])
right("slice_scatter", lambda: gradient(sliced, START), [0, 0, 100])
right("by src", lambda: gradient(lambda src: strided(torch.tensor(START, dtype=torch.float64), src), [4., 5.]), [1, 10])
verdict()

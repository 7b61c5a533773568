"""
title: The gradient of torch.trace by a matrix with more rows than columns is 1 at elements outside of the diagonal.
library: torch
shows: 2.9.1
class: bug
condition: Reverse mode, at least two rows more than columns; forward mode and torch.diagonal(x).sum() are right.
rule: torch.trace is the sum of the elements of the diagonal, so that its gradient is 1 there and 0 elsewhere.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
"""
from library import gradient, right, slope, torch, verdict, wrong

TALL = [[1., 2.], [3., 4.], [5., 6.], [7., 8.], [9., 10.]]
COLUMN = [[1.], [2.], [3.]]
SQUARE = [[1., 2.], [3., 4.]]


def summed(x):
    return torch.diagonal(x).sum()


wrong("five rows, two columns", lambda: gradient(torch.trace, TALL), slope(torch.trace, TALL))
wrong("one column", lambda: gradient(torch.trace, COLUMN), [[1.], [0.], [0.]], seen=[[1.], [0.], [1.]])
right("a square", lambda: gradient(torch.trace, SQUARE), slope(torch.trace, SQUARE))
right("the sum of the diagonal", lambda: gradient(summed, TALL), slope(torch.trace, TALL))
verdict()

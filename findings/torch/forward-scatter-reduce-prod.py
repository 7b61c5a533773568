"""
title: Forward derivatives of torch.scatter_reduce with reduce="prod" are 0; the derivative of a product is right.
library: torch
shows: 2.15.0
class: bug
condition: Forward mode (torch.func.jvp), reduce="prod".  Reverse mode and the other reductions are right.
rule: torch.scatter_reduce: values are multiplied; d(x s) = s dx + x ds.
documented: docs/methods/equiv.md, Documented functions: what was run
tracker: https://github.com/pytorch/pytorch/issues/196702
"""
from library import right, torch, verdict, wrong

X = torch.tensor([2., 3.], dtype=torch.float64)
SOURCE = torch.tensor([5., 7.], dtype=torch.float64)
INDEX = torch.tensor([0, 1])


def reduced(how):
    return lambda x: torch.scatter_reduce(x, 0, INDEX, SOURCE, how)


def forward(how):
    return torch.func.jvp(reduced(how), (X,), (torch.ones_like(X),))[1].numpy()


def reverse(how):
    x = X.clone().requires_grad_()
    reduced(how)(x).sum().backward()
    return x.grad.numpy()


wrong("the product of 2 and 5, 3 and 7", lambda: forward("prod"), [5, 7], seen=[0, 0])
right("in reverse mode", lambda: reverse("prod"), [5, 7])
right("the sum", lambda: forward("sum"), [1, 1])
verdict()

"""
title: The first call of a lazy module (LazyLinear, LazyConv1d and others) inside torch.func.jvp kills the process
    (SIGSEGV).
library: torch
shows: 2.15.0
class: bug
condition: The module has no weights yet, so that the call makes them: they are assigned to Parameter.data inside of
    the transform.  After a call outside of it, which PyTorch's documentation asks for, it is right;
    torch.autograd.forward_ad is right without one.
rule: An error may be the answer to a call that is not meant so, the end of the process is not.  torch.func.grad of the
    same call raises RuntimeError.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: https://github.com/pytorch/pytorch/issues/184876 (open; by Parameter.data)
"""
from library import Died, right, torch, verdict, wrong
from torch.autograd import forward_ad


def by_jvp(module, shape):
    """The derivative of the sum of all results along 1, 1, ..."""
    x = torch.ones(shape)
    return torch.func.jvp(lambda t: module(t).sum(), (x,), (x,))[1].detach().numpy()


def by_dual(module, shape):
    x = torch.ones(shape)
    with forward_ad.dual_level():
        y = module(forward_ad.make_dual(x, x)).sum()
        return forward_ad.unpack_dual(y).tangent.detach().numpy()


def difference(derive, make, shape, first=False):
    """0: both modules are linear, so that the derivative is the sum of the weights."""
    def call():
        module = make()
        if first:
            module(torch.ones(shape))
        return derive(module, shape) - module.weight.sum().detach().numpy()
    return call


def linear():
    return torch.nn.LazyLinear(3)


def convolution():
    return torch.nn.LazyConv1d(3, 2)


wrong("LazyLinear", difference(by_jvp, linear, (1, 4)), 0, seen=Died("SIGSEGV"))
wrong("LazyConv1d", difference(by_jvp, convolution, (1, 4, 2)), 0, seen=Died("SIGSEGV"))
right("LazyLinear after a call outside", difference(by_jvp, linear, (1, 4), first=True), 0)
right("LazyConv1d after a call outside", difference(by_jvp, convolution, (1, 4, 2), first=True), 0)
right("LazyLinear by torch.autograd.forward_ad", difference(by_dual, linear, (1, 4)), 0)
verdict()

"""
title: The forward derivative of torch.cholesky_inverse at [[2, 0], [1, 2]] along its first element is off: -0.39;
    -0.3125 is right.
library: torch
shows: 2.15.0
class: bug
condition: Forward mode (torch.func.jvp), a factor that is not diagonal.  Reverse mode is right.
rule: torch.cholesky_inverse is the inverse of L Lᵀ, whose derivative is -A⁻¹ dA A⁻¹ with dA = dL Lᵀ + L dLᵀ.
documented: docs/methods/equiv.md, Documented functions: what was run
tracker: https://github.com/pytorch/pytorch/issues/196682
"""
from library import right, torch, verdict, wrong

FACTOR = torch.tensor([[2., 0.], [1., 2.]], dtype=torch.float64)
ALONG = torch.tensor([[1., 0.], [0., 0.]], dtype=torch.float64)


def forward(factor):
    return torch.func.jvp(torch.cholesky_inverse, (factor,), (ALONG,))[1].numpy()


def reverse(factor):
    """The first element's derivative of the sum of all results."""
    x = factor.clone().requires_grad_()
    torch.cholesky_inverse(x).sum().backward()
    return x.grad.numpy()[0, 0]


wrong("[[2, 0], [1, 2]]", lambda: forward(FACTOR), [[-0.3125, 0.0625], [0.0625, 0]],
      seen=[[-0.390625, 0.05859375], [0.05859375, 0.015625]])
right("the sum of these in reverse mode", lambda: reverse(FACTOR), -0.1875)
right("[[2, 0], [0, 2]]", lambda: forward(2 * torch.eye(2, dtype=torch.float64)), [[-0.25, 0], [0, 0]])
verdict()

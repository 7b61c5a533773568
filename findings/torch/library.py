"""PyTorch's Python package, and what claims about it share."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import Died, Hung, Refused, array, right, verdict, wrong  # noqa: E402,F401

import torch  # noqa: E402

torch.set_num_threads(1)


def gradient(f, x, kind=torch.float64):
    """The gradient of the sum of f's results by x."""
    x = torch.tensor(x, dtype=kind, requires_grad=True)
    f(x).sum().backward()
    return x.grad.numpy()


def slope(f, x, step=1e-6):
    """The same by central differences in float64: what the gradient must be where f is smooth."""
    x = torch.tensor(x, dtype=torch.float64)
    out = torch.zeros_like(x)
    for i in range(x.numel()):
        d = torch.zeros_like(x)
        d.view(-1)[i] = step
        out.view(-1)[i] = (f(x + d).sum() - f(x - d).sum()) / (2 * step)
    return out.numpy()

"""
title: Gradients of aten's mse_loss, huber_loss and smooth_l1_loss with reduction mean are too large where shapes
    broadcast.
library: torch
shows: 2.15.0
class: bug
condition: torch.ops.aten, reduction mean, and an input that is broadcast: the gradient is divided by that input's
    size.  Sum
    is right, and so is torch.nn.functional, which expands first.
rule: The derivative of the mean: the sum divided by the number of elements of the result.
documented: docs/methods/equiv.md, What was measured
tracker: none found
"""
import warnings

from library import gradient, right, torch, verdict, wrong

warnings.simplefilter("ignore")
target = torch.tensor([[1.0, 2, 4], [0, 3, 9]], dtype=torch.float64)
x = [[0.3], [0.7]]
MEAN, SUM = 1, 2


def by_input(f):
    return lambda: gradient(lambda v: f(v), x)


aten, plain = torch.ops.aten, torch.nn.functional
# mse: 2 (3 * 0.3 - 7) and 2 (3 * 0.7 - 12); the others with delta 1: differences cut to -1 … 1
squares, cut = [-12.2, -19.8], [-0.7 - 1 - 1, 0.7 - 1 - 1]
for name, f, total in (("mse_loss", lambda v, r: aten.mse_loss(v, target, r), squares),
                       ("huber_loss", lambda v, r: aten.huber_loss(v, target, r, 1.0), cut),
                       ("smooth_l1_loss", lambda v, r: aten.smooth_l1_loss(v, target, r, 1.0), cut)):
    wrong(name + ", mean", by_input(lambda v: f(v, MEAN)), [t / 6 for t in total], seen=[t / 2 for t in total])
    right(name + ", sum", by_input(lambda v: f(v, SUM)), total)
right("torch.nn.functional.mse_loss, mean", by_input(lambda v: plain.mse_loss(v, target)), [t / 6 for t in squares])
verdict()

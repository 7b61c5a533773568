"""
title: multi_margin_loss of 1, NaN, 0.5 with target 0 is 0.1667, and with NaN as the target's number 0; NaN is right.
library: torch
shows: 2.15.0
class: bug
condition: a NaN among the input, eager; likewise multilabel_margin_loss.  A loss that was NaN looks like a small one.
    PyTorch's own formula, which torch.compile takes, gives NaN, and so do margin_ranking_loss and
    hinge_embedding_loss.
rule: torch.nn.MultiMarginLoss: the sum of max(0, margin - x[y] + x[i]) over i, divided by the number of classes; a
    maximum with NaN is NaN (torch.maximum).
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
"""
from library import right, torch, verdict, wrong

NAN = float("nan")
loss = torch.nn.functional


def of(function, x, y):
    return lambda: function(torch.tensor([x]), torch.tensor([y])).numpy()


def single(x):
    return lambda: loss.multi_margin_loss(torch.tensor([x]), torch.tensor([0])).numpy()


def number(x):
    return torch.tensor(x).numpy()


wrong("NaN beside the target", single([1.0, NAN, 0.5]), number(NAN), seen=number(0.5 / 3))
wrong("NaN at the target", single([NAN, 1.0, 0.5]), number(NAN), seen=number(0.0))
wrong("several labels", of(loss.multilabel_margin_loss, [0.125, NAN, 0.5, 0.75], [3, -1, 0, 0]), number(NAN),
      seen=number(1.125 / 4))
right("no NaN", single([1.0, 2.0, 0.5]), number(2.5 / 3))
right("margin_ranking_loss", lambda: loss.margin_ranking_loss(*map(torch.tensor, ([NAN], [1.0], [1.0]))).numpy(),
      number(NAN))
verdict()

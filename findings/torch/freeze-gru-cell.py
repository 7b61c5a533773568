"""
title: A frozen GRUCell of a constant state gives another result at each call: 0.5233, 0.5242, 0.5241; 0.5233 is right.
library: torch
shows: 2.15.0
class: bug
condition: torch.jit.trace and torch.jit.freeze of a module in which the state is a buffer: the products of the state
    are folded into constants, which the cell then adds to in place.  The first call is right; so are all without
    freeze, and where the state is an argument.
rule: torch.jit.freeze: it inlines "submodules, parameters, and attributes as constants"; the state is one, and the same
    input gives the same result.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
found: equiv
"""
import warnings

from library import right, torch, verdict, wrong
from torch.jit import freeze, trace

warnings.filterwarnings("ignore")
X, STATE = torch.tensor([[1., 2.]]), torch.tensor([[0.5]])


def cell():
    made = torch.nn.GRUCell(2, 1).eval()
    with torch.no_grad():
        made.weight_ih[:] = torch.tensor([[1., 0.], [0., 1.], [.5, .5]])
        made.weight_hh[:] = torch.tensor([[1.], [2.], [3.]])
        made.bias_ih[:] = made.bias_hh[:] = 0
    return made


class Constant(torch.nn.Module):
    """The state is a buffer."""

    def __init__(self):
        super().__init__()
        self.cell = cell()
        self.register_buffer("state", STATE.clone())

    def forward(self, x):
        return self.cell(x, self.state)


def three(program, *inputs):
    """Of three calls."""
    with torch.no_grad():
        return torch.stack([program(*inputs).reshape(()) for _ in range(3)]).numpy().round(4)


def traced(module, *inputs):
    return trace(module.eval(), inputs, check_trace=False)


wrong("frozen", lambda: three(freeze(traced(Constant(), X)), X), [0.5233] * 3, seen=[0.5233, 0.5242, 0.5241])
right("traced", lambda: three(traced(Constant(), X), X), [0.5233] * 3)
right("the state is fed", lambda: three(freeze(traced(cell(), X, STATE)), X, STATE), [0.5233] * 3)
verdict()

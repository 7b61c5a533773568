"""
title: torch.select_scatter of int32 numbers and a float gives floats once an exported program is decomposed; int32, as
    without it, is right.
library: torch
shows: 2.15.0
class: bug
condition: torch.export and then run_decompositions(), whose formula is torch.where(mask, src, input), which promotes.
    Plain calls and exported programs before that step keep the type; so does run_decompositions() of slice_scatter.
rule: torch.select_scatter embeds the values of src into input: the result is the input with other elements.
    ExportedProgram.run_decompositions writes a program in other operators; it is to compute the same.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
found: equiv
"""
from library import right, torch, verdict, wrong

X = torch.tensor([3, -9, -1], dtype=torch.int32)
WHOLE = torch.tensor([3, -9, 0], dtype=torch.int32)


class Select(torch.nn.Module):
    def forward(self, x, src):
        return torch.select_scatter(x, src, 0, 2)


class Slice(torch.nn.Module):
    def forward(self, x, src):
        return torch.slice_scatter(x, src.reshape(1), 0, 2, 3)


def exported(module, decomposed, x=X, src=0.5):
    def call():
        tensors = x, torch.tensor(src)
        program = torch.export.export(module, tensors)
        program = program.run_decompositions() if decomposed else program
        return program.module()(*tensors).numpy()
    return call


wrong("decomposed", exported(Select(), True), WHOLE.numpy(), seen=torch.tensor([3, -9, 0.5]).numpy())
right("exported", exported(Select(), False), WHOLE.numpy())
right("a plain call", lambda: Select()(X, torch.tensor(0.5)).numpy(), WHOLE.numpy())
right("slice_scatter, decomposed", exported(Slice(), True), WHOLE.numpy())
right("of one type", exported(Select(), True, torch.tensor([3., -9., -1.])), torch.tensor([3, -9, 0.5]).numpy())
verdict()

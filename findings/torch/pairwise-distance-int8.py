"""
title: pairwise_distance of the int8 numbers 100 and -100 is 56; 200 is right.
library: torch
shows: 2.15.0
class: bug
condition: Whole-number tensors whose difference does not fit their type: it is taken in that type, and the distance, a
    float32 number, of what is left of it.  int32 tensors of the same numbers are right.
rule: torch.nn.functional.pairwise_distance: the p-norm of the differences.  For cosine_similarity of int8 tensors the
    same was a bug, and was fixed (https://github.com/pytorch/pytorch/issues/61454).
documented: docs/methods/equiv.md, Documented functions
tracker: none found
"""
from library import right, torch, verdict, wrong


def distance(kind, *values):
    return lambda: torch.nn.functional.pairwise_distance(*[torch.tensor([v], dtype=kind) for v in values]).numpy()


wrong("100 and -100", distance(torch.int8, 100, -100), torch.tensor(200.0).numpy(), seen=torch.tensor(56.0).numpy())
right("100 and -100, int32", distance(torch.int32, 100, -100), torch.tensor(200.0).numpy())
right("50 and -50", distance(torch.int8, 50, -50), torch.tensor(100.0).numpy())
verdict()

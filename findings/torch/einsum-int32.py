"""
title: torch.einsum of int32 numbers by "ab,bc->c" is refused: "expected scalar type Long but found Int"; it is a valid
    call.
library: torch
shows: 2.15.0
class: bug
condition: int32, or another integer type than int64, an index of one operand that is summed and is not of size 1, and
    another index that two operands share and is summed: the first sum is of int64, and the product wants one type.
    So the result of "ab->a" is of int64, and that of "ab,b->a" of int32.  int64 and "ab,bc->ac" are right.
rule: torch.einsum sums the products of the elements; its documentation names no types that it does not take.
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/pytorch/pytorch/issues/103366 (closed; the same of torch.inner)
found: by hand
"""
from library import Refused, right, verdict, wrong

import torch


def product(equation, kind=torch.int32):
    return lambda: torch.einsum(equation, torch.tensor([[1, 2], [3, 4]], dtype=kind), torch.ones(2, 2, dtype=kind))


wrong("ab,bc->c", product("ab,bc->c"), [10, 10], seen=Refused("expected scalar type Long but found Int"))
right("ab,bc->c of int64", product("ab,bc->c", torch.int64), [10, 10])
right("ab,bc->ac", product("ab,bc->ac"), [3, 3, 7, 7])
verdict()

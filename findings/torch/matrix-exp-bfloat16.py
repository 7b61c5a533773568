"""
title: torch.linalg.matrix_exp of half the identity is -1.3e30 on the diagonal in bfloat16; 1.65 is right.
library: torch
shows: 2.15.0
class: bug
condition: bfloat16, which is documented, and float16, which is not (-21040), on the CPU, matrices of 2 x 2 and more.
    Of 0.01 times the identity it is NaN, of 2 times it infinity.  float32, and 1 x 1, are right; so are the parts: a
    product of two matrices in bfloat16, and torch._compute_linear_combination.
rule: torch.linalg.matrix_exp: the sum of A^k / k!, which is exp(1/2) on the diagonal; "Supports input of bfloat16,
    float, double, cfloat and cdouble dtypes".
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
found: equiv
"""
import math

from library import right, torch, verdict, wrong


def diagonal(kind, factor=0.5, size=2):
    def call():
        found = torch.linalg.matrix_exp((torch.eye(size) * factor).to(kind))
        return found.double().diagonal().numpy().round(2)
    return call


def rounded(factor, size=2):
    return [round(torch.tensor(math.exp(factor)).bfloat16().item(), 2)] * size


wrong("bfloat16", diagonal(torch.bfloat16), rounded(0.5), seen=[-1.2973611611710785e30] * 2)
wrong("bfloat16, 3 x 3", diagonal(torch.bfloat16, 0.5, 3), rounded(0.5, 3), seen=[-1.2973611611710785e30] * 3)
wrong("bfloat16, 0.01", diagonal(torch.bfloat16, 0.01), rounded(0.01), seen=[math.nan] * 2)
wrong("bfloat16, 2", diagonal(torch.bfloat16, 2), rounded(2), seen=[math.inf] * 2)
right("float32", diagonal(torch.float32), [round(math.exp(0.5), 2)] * 2)
right("bfloat16, 1 x 1", diagonal(torch.bfloat16, 0.5, 1), rounded(0.5, 1))
verdict()

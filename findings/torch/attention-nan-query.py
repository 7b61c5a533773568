"""
title: scaled_dot_product_attention of a query that is NaN is 0 where there are few keys; NaN is right.
library: torch
shows: 2.15.0
class: bug
condition: On a CPU, with no mask, where all numbers that softmax takes are NaN or -inf, as for a NaN in the query, and
    there are fewer keys than a vector of the processor has numbers (16 of float32 with AVX-512).  With more keys it is
    NaN; so it is by SDPBackend.MATH, and where a key alone is NaN.  What was NaN looks like a token that is masked.
rule: torch.nn.functional.scaled_dot_product_attention: equivalent to softmax(query @ key.T * scale) @ value, and that
    is NaN.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: https://github.com/pytorch/pytorch/issues/141128 (the same of more keys, which was mended)
found: equiv
"""
from library import right, torch, verdict, wrong

NAN = float("nan")


def attention(query, keys=3, key=1.0):
    def call():
        k = torch.ones(1, 1, keys, 2)
        k[0, 0, 0, 0] = key
        q = torch.full((1, 1, 1, 2), query)
        return torch.nn.functional.scaled_dot_product_attention(q, k, torch.ones(1, 1, keys, 2)).reshape(-1).numpy()
    return call


def formula():
    k = torch.ones(1, 1, 3, 2)
    return (torch.softmax(torch.full((1, 1, 1, 2), NAN) @ k.transpose(-2, -1), -1) @ k).reshape(-1).numpy()


def plain():
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        return attention(NAN)()


wrong("three keys", attention(NAN), [NAN, NAN], seen=[0, 0])
wrong("one key", attention(NAN, 1), [NAN, NAN], seen=[0, 0])
right("64 keys", attention(NAN, 64), [NAN, NAN])
right("SDPBackend.MATH", plain, [NAN, NAN])
right("the documented formula", formula, [NAN, NAN])
right("a key that is NaN", attention(1.0, 3, NAN), [NAN, NAN])
right("no NaN", attention(1.0), [1, 1])
verdict()

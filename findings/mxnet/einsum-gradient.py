"""
title: The gradient of np.einsum over a contracted axis is wrong.
library: mxnet
shows: 1.6.0
until: 1.6.0 (1.9.1 is right)
class: bug
condition: Both inputs share another axis of size 1, and their elements differ.  A size of 2, no such axis, and equal
    elements
    are right; so is the result itself.
rule: The derivative of a sum of products.
documented: data/quirks.tsv, Einsum; docs/methods/swap.md, Cases
tracker: https://github.com/apache/mxnet/issues/18102
"""
import numpy as np

from library import gradient, mx, right, slope, verdict, wrong


def product(a, b):
    """The call, and central differences of NumPy's einsum."""
    return gradient(lambda u, v: mx.np.einsum("bij,bjc->bic", u, v), a,
                    b), slope(lambda u, v: np.einsum("bij,bjc->bic", u, v), a, b)


def numbers(*shape):
    return np.arange(1.0, np.prod(shape) + 1).reshape(shape)


wrong("bij,bjc->bic, b = 1", *product(numbers(1, 5, 3), numbers(1, 3, 2)), rel=1e-4)
right("bij,bjc->bic, b = 2", *product(numbers(2, 5, 3), numbers(2, 3, 2)), rel=1e-4)
right("bij,bjc->bic, b = 1, ones", *product(np.ones((1, 5, 3)), np.ones((1, 3, 2))), rel=1e-4)
verdict()

"""
title: The gradient of np.einsum by an input that an ellipsis broadcasts is wrong.
library: mxnet
shows: 1.9.1
since: 1.7.0.post2 (1.6.0 is right)
class: bug
condition: The ellipsis is broadcast, and the gradient of the result differs from element to element.
rule: The derivative of a sum of products.
documented: data/quirks.tsv, Einsum
tracker: none found; https://github.com/apache/mxnet/issues/18102 is about axes of 1 without an ellipsis
"""
import numpy as np

from library import gradient, mx, right, slope, verdict, wrong

a = np.arange(1.0, 7).reshape(2, 3)
head = np.arange(1.0, 7).reshape(2, 3)


def product(b, weights):
    return (gradient(lambda u, v: mx.np.einsum("...i,...i->...i", u, v), a, b, head=weights),
            slope(lambda u, v: np.einsum("...i,...i->...i", u, v) * weights, a, b))


row = np.arange(1.0, 4).reshape(1, 3)
wrong("a row over two", *product(row, head), rel=1e-4)
right("a row over two, gradients of 1", *product(row, np.ones((2, 3))), rel=1e-4)
right("two rows", *product(np.concatenate([row, row]), head), rel=1e-4)
verdict()

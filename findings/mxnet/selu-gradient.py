"""
title: The gradient of LeakyReLU selu for negative numbers is lambda (y + alpha); y + lambda alpha is right.
library: mxnet
shows: 1.6.0, 1.9.1
class: bug
condition: x is negative.
rule: d/dx of lambda alpha (exp(x) - 1) is lambda alpha exp(x) = y + lambda alpha, y the result.
documented: data/quirks.tsv, Selu; docs/methods/swap.md, Tables
tracker: none found
"""
import math

from library import gradient, mx, right, verdict, wrong

LAMBDA, ALPHA = 1.0507009873554805, 1.6732632423543772


def by(x):
    return gradient(lambda v: mx.npx.leaky_relu(v, act_type="selu"), [x])


y = LAMBDA * ALPHA * (math.exp(-2) - 1)
wrong("-2", by(-2), [y + LAMBDA * ALPHA], seen=[LAMBDA * (y + ALPHA)])
right("1", by(1), [LAMBDA])
verdict()

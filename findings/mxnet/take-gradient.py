"""
title: The gradient of take along another axis than the first is added to what the array held; it must be written.
library: mxnet
shows: 1.6.0
until: 1.8.0.post0 of the versions here (the issue says 1.8.0; 1.9.1 is right)
class: bug
condition: axis is not 0, and the array for the gradient is not 0 before, with grad_req "write".
rule: mx.autograd.mark_variables, grad_req "write": the gradient replaces what was there.
documented: docs/methods/swap.md, Cases
tracker: https://github.com/apache/mxnet/issues/19817
"""
import numpy as np

from library import mx, right, verdict, wrong

mx.npx.reset_np()


def by(axis):
    def call():
        a, grad = mx.nd.array(np.arange(6).reshape(2, 3)), mx.nd.full((2, 3), 7)
        mx.autograd.mark_variables([a], [grad], grad_reqs="write")
        with mx.autograd.record():
            y = mx.nd.take(a, mx.nd.array([0, 1]), axis=axis)
        y.backward()
        return grad.asnumpy()
    return call


wrong("axis 1", by(1), [1, 1, 0, 1, 1, 0], seen=[8, 8, 7, 8, 8, 7])
right("axis 0", by(0), [1] * 6)
verdict()

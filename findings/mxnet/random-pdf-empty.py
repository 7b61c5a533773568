"""
title: random_pdf_exponential and random_pdf_poisson of no samples kill the process (SIGFPE); no densities are right.
library: mxnet
shows: 1.9.1
class: bug
condition: The last axis of the samples has no elements, with shapes as in NumPy (npx.set_np).  One sample is right, and
    so is random_pdf_uniform of none.
rule: mx.nd.random_pdf_exponential: one density for each sample; mx.npx.set_np: arrays without elements are valid.
documented: docs/campaign.md, The hunt with the other methods
tracker: https://github.com/apache/mxnet/issues/18937 (closed; about parameters without elements)
"""
import math

from library import Died, mx, np, right, verdict, wrong


def density(name, n, *parameters):
    function = getattr(mx.nd, "random_pdf_" + name)
    return lambda: function(mx.nd.full((2, n), 1), *(mx.nd.full((2,), p) for p in parameters)).asnumpy()


none = np.zeros((2, 0), np.float32)
wrong("exponential, no samples", density("exponential", 0, 3), none, seen=Died("SIGFPE"))
wrong("poisson, no samples", density("poisson", 0, 3), none, seen=Died("SIGFPE"))
right("exponential, one sample", density("exponential", 1, 3), [3 * math.exp(-3)] * 2)
right("poisson, one sample", density("poisson", 1, 3), [3 * math.exp(-3)] * 2)
right("uniform, no samples", density("uniform", 0, 0, 2), none)
verdict()

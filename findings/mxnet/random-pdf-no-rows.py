"""
title: The random_pdf functions with parameters of no elements kill the process (SIGFPE); no densities are right.
library: mxnet
shows: 1.9.1
class: bug
condition: The first axis has no elements, with shapes as in NumPy (npx.set_np): uniform, normal, gamma, exponential,
    poisson and negative_binomial alike.  One row is right.
rule: mx.nd.random_pdf_uniform: one density for each sample; mx.npx.set_np: arrays without elements are valid.
documented: docs/campaign.md, The hunt with the other methods
tracker: https://github.com/apache/mxnet/issues/18937 (closed)
"""
from library import Died, mx, np, right, verdict, wrong


def density(name, rows, *parameters):
    function = getattr(mx.nd, "random_pdf_" + name)
    return lambda: function(mx.nd.full((rows, 2), 1), *(mx.nd.full((rows,), p) for p in parameters)).asnumpy()


none = np.zeros((0, 2), np.float32)
for name, *parameters in (("uniform", 0, 2), ("normal", 0, 1), ("gamma", 1, 1), ("exponential", 3), ("poisson", 3),
                          ("negative_binomial", 2, 0.5)):
    wrong("%s, no rows" % name, density(name, 0, *parameters), none, seen=Died("SIGFPE"))
right("uniform, one row", density("uniform", 1, 0, 2), [0.5, 0.5])
verdict()

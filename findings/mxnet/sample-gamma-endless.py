"""
title: sample_gamma with an alpha below 0, or NaN, never comes back; random_gamma refuses it.
library: mxnet
shows: 1.9.1
class: bug
condition: mx.nd.sample_gamma, whose alpha is an array; sample_negative_binomial with k below 0 the same, which draws
    from it.  An alpha of 1 comes back.
rule: mx.nd.random_gamma: "alpha parameter in gamma distribution has to be positive" is what it says when it refuses.
documented: docs/campaign.md, The hunt with the other methods
tracker: https://github.com/apache/mxnet/issues/17412 (open)
"""
from library import Hung, Refused, mx, right, verdict, wrong


def drawn(call):
    """Whether a number came."""
    return lambda: float(call().asnumpy().size)


def sample(alpha):
    return drawn(lambda: mx.nd.sample_gamma(mx.nd.full((1,), alpha), mx.nd.full((1,), 1)))


wrong("alpha -1", sample(-1), Refused(), seen=Hung(), seconds=15)
wrong("alpha NaN", sample(float("nan")), Refused(), seen=Hung(), seconds=15)
wrong("negative binomial, k -1",
      drawn(lambda: mx.nd.sample_negative_binomial(mx.nd.full((1,), -1), mx.nd.full((1,), 0.5))), Refused(),
      seen=Hung(), seconds=15)
right("alpha 1", sample(1), [1])
right("random_gamma, alpha -1", drawn(lambda: mx.nd.random_gamma(-1, 1, shape=(1,))), Refused("has to be positive"))
verdict()

"""
title: random.randint whose low is its high kills the process (SIGFPE); it must be refused.
library: mxnet
shows: 1.9.1
class: bug
condition: mx.nd.random.randint and mx.np.random.randint.  A low above the high is refused.
rule: mx.nd.random.randint: samples of "[low, high)", which has no numbers then; NumPy raises ValueError.
documented: docs/campaign.md, The hunt with the other methods
tracker: none found
"""
from library import Died, Refused, mx, right, verdict, wrong


def drawn(low, high):
    return lambda: mx.nd.random.randint(low, high, shape=(2,)).asnumpy()


wrong("of [2, 2)", drawn(2, 2), Refused(), seen=Died("SIGFPE"))
wrong("np, of [2, 2)", lambda: mx.np.random.randint(2, 2, size=(2,)).asnumpy(), Refused(), seen=Died("SIGFPE"))
right("of [3, 2)", drawn(3, 2), Refused())
right("of [2, 3)", drawn(2, 3), [2, 2])
verdict()

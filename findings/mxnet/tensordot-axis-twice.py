"""
title: np.tensordot with an axis twice in one of its lists kills the process (SIGABRT); it must be refused.
library: mxnet
shows: 1.9.1
class: bug
condition: The other list may have one axis, or two.  Lists of unequal length without such an axis are refused.
rule: mx.np.tensordot, as numpy.tensordot: as many axes of a as of b are summed, each once; NumPy raises ValueError.
documented: docs/campaign.md, The hunt with the other methods
tracker: none found
"""
from library import Died, Refused, mx, np, right, verdict, wrong


def tensordot(*axes):
    cube = np.ones((2, 2, 2), np.float32)
    return lambda: mx.np.tensordot(mx.np.array(cube), mx.np.array(cube), axes=axes).asnumpy()


wrong("of b, one of a", tensordot([2], [2, 2]), Refused(), seen=Died("SIGABRT"))
wrong("of both", tensordot([2, 2], [2, 2]), Refused(), seen=Died("SIGABRT"))
wrong("of a", tensordot([2, 2], [0, 1]), Refused(), seen=Died("SIGABRT"))
right("unequal lists", tensordot([0], [0, 1]), Refused())
right("two axes", tensordot([0, 1], [0, 1]), np.full((2, 2), 4, np.float32))
verdict()

"""
title: Slice with a step of 0 aborts the process; it must be refused.
library: rten
shows: 0.27.0
class: bug
condition: A step of 0, of one axis or of several.  Steps of 1 and 2 are right.
rule: ONNX Slice-13, input steps: "'steps' cannot be 0s".
documented: docs/campaign.md, All methods on all libraries
tracker: none found
found: fuzz
"""
from library import Died, Refused, call, right, verdict, wrong


def sliced(step):
    return call("""(float[4] x) => (float[n] y) <int64[1] s = {0}, int64[1] e = {4}, int64[1] a = {0},
        int64[1] t = {%d}> { y = Slice(x, s, e, a, t) }""" % step, [1, 2, 3, 4], check=False)


wrong("step 0", sliced(0), Refused(), seen=Died("SIGABRT"))
right("step 1", sliced(1), [1, 2, 3, 4])
right("step 2", sliced(2), [1, 3])
verdict()

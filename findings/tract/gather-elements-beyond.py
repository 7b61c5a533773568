"""
title: GatherElements of two axes with an index beyond the end aborts the process; an error is right.
library: tract
shows: 0.23.9
class: bug
condition: An index beyond the axis that comes in as an input, with two axes or more.  With one axis it is refused.
rule: ONNX GatherElements-13: an index out of bounds is an error.
documented: docs/campaign.md, The hunt with the other methods
tracker: none found
"""
from library import Died, Refused, model, right, run, verdict, wrong


def gather(dims, data, indices):
    m = model("(float[%s] x, int64[%s] i) => (float[%s] y) { y = GatherElements(x, i) }" % (dims, dims, dims))
    return lambda: run(m, data, indices)


wrong("two axes, index 2 of 2", gather("2,2", [1, 2, 3, 4], [2, 0, 0, 0]), Refused(), seen=Died("SIGABRT"))
right("two axes, index 1 of 2", gather("2,2", [1, 2, 3, 4], [1, 0, 0, 0]), [3, 2, 1, 2])
right("one axis, index 2 of 2", gather("2", [1, 2], [2, 0]), Refused("Invalid GatherElements index"))
verdict()

"""
title: Split, ArgMax, the reductions, Hardmax and Transpose with an axis that is not there abort the process; they
    must be refused.
library: tract
shows: 0.23.9
class: bug
condition: An axis beyond the rank, also below it.  Concat and LpNormalization refuse such an axis; axes that are
    there are right.
rule: ONNX Split-13, ArgMax-13, ReduceMean-13 and Hardmax-13: axis "in the range [-r, r-1]"; Transpose-13, attribute
    perm.
documented: docs/campaign.md, Search, check, swap, gradients and real models
tracker: none found
"""
from library import Died, Refused, right, unchecked, verdict, wrong


def node(text):
    return unchecked("(float[2,3] x) => (float y) { y = %s }" % text, [1, 2, 3, 4, 5, 6])


aborts = Died("SIGABRT")
wrong("Split, axis 5", node("Split<axis = 5>(x)"), Refused(), seen=aborts)
wrong("ArgMax, axis 2", node("ArgMax<axis = 2>(x)"), Refused(), seen=aborts)
wrong("ArgMax, axis -3", node("ArgMax<axis = -3>(x)"), Refused(), seen=aborts)
wrong("ReduceMean, axis 2", node("ReduceMean<axes = [2]>(x)"), Refused(), seen=aborts)
wrong("Hardmax, axis 5", node("Hardmax<axis = 5>(x)"), Refused(), seen=aborts)
wrong("Transpose, perm 0 5", node("Transpose<perm = [0, 5]>(x)"), Refused(), seen=aborts)
right("ReduceMean, axis 1", node("ReduceMean<axes = [1]>(x)"), [2, 5])
right("Transpose, perm 1 0", node("Transpose<perm = [1, 0]>(x)"), [1, 4, 2, 5, 3, 6])
right("Concat, axis 5", node("Concat<axis = 5>(x, x)"), Refused())
right("LpNormalization, axis 5", node("LpNormalization<axis = 5>(x)"), Refused())
verdict()

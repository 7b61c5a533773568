"""
title: Gather, GatherND and ScatterElements with an index beyond the end abort the process; an error is right.
library: tract
shows: 0.23.9
class: bug
condition: The index comes in as an input: what a user of a model sends ends its process.  ScatterND refuses it, and
    indices in range are right.
rule: ONNX Gather-13, GatherND-13 and ScatterElements-13: it is an error if an index is out of bounds.
documented: docs/campaign.md, Search, check, swap, gradients and real models
tracker: none found
"""
from library import Died, Refused, right, unchecked, verdict, wrong

X = [1, 2, 3, 4, 5, 6]


def indexed(node, dims, indices):
    return unchecked("(float[2,3] x, int64[%s] i) => (float y) { y = %s }" % (dims, node), X, indices)


aborts = Died("SIGABRT")
wrong("Gather, index 2 of 2", indexed("Gather(x, i)", "1", [2]), Refused(), seen=aborts)
wrong("Gather, index -3 of 2", indexed("Gather(x, i)", "1", [-3]), Refused(), seen=aborts)
wrong("GatherND, index 2 of 2", indexed("GatherND(x, i)", "1,1", [2]), Refused(), seen=aborts)
wrong("ScatterElements, index 2 of 2", indexed("ScatterElements(x, i, x)", "2,3", [2, 0, 0, 0, 1, 1]), Refused(),
      seen=aborts)
right("Gather, index 1 of 2", indexed("Gather(x, i)", "1", [1]), [4, 5, 6])
right("GatherND, index 1 of 2", indexed("GatherND(x, i)", "1,1", [1]), [4, 5, 6])
right("ScatterElements, index 1 of 2", indexed("ScatterElements(x, i, x)", "2,3", [1, 0, 0, 0, 1, 1]),
      [4, 2, 3, 1, 5, 6])
verdict()

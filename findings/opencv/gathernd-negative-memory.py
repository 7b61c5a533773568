"""
title: GatherND with a negative index reads memory in front of the tensor.
library: OpenCV
shows: 5.0.0
class: bug
condition: Both engines, a negative index behind the first axis or in it, no batch_dims.  With batch_dims
    `gathernd-negative` is about it.
rule: ONNX GatherND-13: "All values in indices are expected to be within bounds [-s, s-1] along axis of size s".
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import NEW, call, right, verdict, wrong

def gather(*i, engine=NEW):
    return call("(float[2,2] x, int64[1,2] i) => (float[1] y) { y = GatherND(x, i) }", [1, 2, 3, 4], i, engine=engine)


wrong("the first axis", gather(-1, 0), [3])
wrong("the second axis", gather(0, -1), [2])
wrong("the classic engine", gather(-1, 0, engine=1), [3])
right("from the beginning", gather(1, 0), [3])
verdict()

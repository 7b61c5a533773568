"""
title: A constant of uint4 kills the process (SIGSEGV).
library: MNN
shows: 3.6.1
class: bug
condition: A constant of uint4.  One of uint8 is right.
rule: ONNX Cast-21.
documented: data/quirks.tsv, Cast
tracker: none found
"""
from library import Died, call, right, verdict, wrong

def cast(kind):
    return call("(int32[1] x) => (int32[3] y) <%s[2] c = {1, 2}> "
                "{ d = Cast<to = 6>(c) y = Concat<axis = 0>(x, d) }" % kind, [7],
                opset=21, ir=10)


wrong("uint4", cast("uint4"), [7, 1, 2], seen=Died("SIGSEGV"))
right("uint8", cast("uint8"), [7, 1, 2])
verdict()

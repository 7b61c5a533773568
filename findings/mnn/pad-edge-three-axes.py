"""
title: Pad with mode edge along three of four axes leaves elements unwritten: they are what lay in memory, often 0.
library: MNN
shows: 3.6.1
class: bug
condition: mode edge, four axes, three or more of which are padded.  Two are right, also by 2 and more, and so is mode
    constant.
rule: ONNX Pad-13: mode edge "pads with the edge values of array".
documented: docs/methods/fuzz.md, Found in MNN and tract on 19 November
tracker: none found
found: fuzz
"""
from library import call, right, verdict, wrong


def padded(pads, shape, mode="edge"):
    return call('(float[1,1,1,2] x) => (float[%s] y) <int64[8] p = {%s}> { y = Pad<mode = "%s">(x, p) }'
                % (shape, pads, mode), [1, 2])


wrong("three axes, at their ends", padded("0,0,0,0,1,1,1,0", "2,2,2,2"), [1, 2] * 8)
wrong("three axes, two of them at their ends", padded("0,0,1,0,1,1,0,0", "2,2,2,2"), [1, 2] * 8)
right("two axes", padded("0,0,0,0,1,1,0,0", "2,2,1,2"), [1, 2] * 4)
right("two axes, by 3 and 2", padded("0,0,0,0,0,3,2,0", "1,4,3,2"), [1, 2] * 12)
right("mode constant", padded("0,0,0,0,1,1,1,0", "2,2,2,2", "constant"), [1, 2] + [0] * 14)
verdict()

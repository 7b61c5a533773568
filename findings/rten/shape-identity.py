"""
title: A graph whose outputs are a Shape and an Identity of it is refused.
library: rten
shows: 0.27.0
class: bug
condition: graph optimizations on, as by default: both outputs become one.
rule: ONNX IR: an output may have the value of another one.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

BOTH = "(float[1, 2] x) => (int64[2] y, int64[2] z) { y = Shape(x) z = Identity(y) }"
ONE = "(float[1, 2] x) => (int64[2] z) { y = Shape(x) z = Identity(y) }"

wrong("both", call(BOTH, [0, 0], opset=13), ([1, 2], [1, 2]), seen=Refused("not unique"))
right("the second alone", call(ONE, [0, 0], opset=13), [1, 2])
verdict()

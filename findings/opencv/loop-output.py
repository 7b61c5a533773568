"""
title: A Loop whose last state is an output of the graph is refused; with a constant trip count the process dies.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine, which alone has Loop.  With a node between the Loop and the output it is right.
rule: ONNX Loop-16: the final values of the loop-carried dependencies are its first outputs.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import Died, Refused, call, right, verdict, wrong

BODY = "body = b (int64 i, bool ci, float[1,2] a) => (bool co, float[1,2] ao) { ao = Add(a, a) co = Identity(ci) }"
INPUTS = "(float[1,2] x, int64 m, bool c) => (float[1,2] y)"
wrong("the state is an output", call("%s { y = Loop<%s>(m, c, x) }" % (INPUTS, BODY), [1, 2], 2, True, opset=16),
      [4, 8], seen=Refused("fromBuf >= 0"))
wrong("the trip count is a constant",
      call("(float[1,2] x) => (float[1,2] y) <int64 m = {2}, bool c = {1}> { y = Loop<%s>(m, c, x) }" % BODY, [1, 2],
           opset=16), [4, 8], seen=Died())
right("a node behind it", call("%s { z = Loop<%s>(m, c, x) y = Relu(z) }" % (INPUTS, BODY), [1, 2], 2, True, opset=16),
      [4, 8])
verdict()

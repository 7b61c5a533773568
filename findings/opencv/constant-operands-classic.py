"""
title: The classic engine refuses GatherND and NegativeLogLikelihoodLoss with a constant second operand.
library: OpenCV
shows: 5.0.0
class: bug
condition: The classic engine.  The constant is not counted as an input of the layer: "GatherND: requires two inputs".
    The new engine takes both, and the classic one takes them where the second operand is an input of the graph.
rule: ONNX GatherND-13 and NegativeLogLikelihoodLoss-13: indices and target are tensors; ONNX IR: any input of a node
    may be an initializer.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import Refused, array, call, cv2, right, verdict, wrong

CLASSIC = getattr(cv2.dnn, "ENGINE_CLASSIC", None)
GATHER = "(float[2,3] x) => (float[2] y) <int64[2,2] w = {0, 1, 1, 2}> { y = GatherND(x, w) }"
LOSS = "(float[1,2] x) => (float y) <int64[1] w = {1}> { y = NegativeLogLikelihoodLoss(x, w) }"
picked = array([2], [1, 5])
wrong("GatherND", call(GATHER, [0, 1, 2, 3, 4, 5], opset=13, engine=CLASSIC), picked, seen=Refused())
wrong("loss", call(LOSS, [-2, -1], opset=13, engine=CLASSIC), [1], seen=Refused())
right("GatherND, new engine", call(GATHER, [0, 1, 2, 3, 4, 5], opset=13), picked)
right("loss, new engine", call(LOSS, [-2, -1], opset=13), [1])
verdict()

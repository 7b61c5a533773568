"""
title: LogSoftmax of (-90, 0) is -infinity for the first element; -90 is right.
library: OpenCV
shows: 4.10.0, 4.14.0, 5.0.0
class: bug
condition: float32, numbers that lie some 88 or more below the largest one, both engines; Softmax is 0
    there.  -20 is right.
rule: ONNX LogSoftmax-13: x minus the logarithm of the sum of exp(x), which for (-90, 0) is -90.
documented: docs/methods/fuzz.md, Found
tracker: none found
"""
from library import call, cv2, right, verdict, wrong


def log_softmax(x, **engine):
    return call("(float[1,2] x) => (float[1,2] y) { y = LogSoftmax(x) }", [x, 0], **engine)


infinity = float("inf")
wrong("-90", log_softmax(-90), [-90, 0], seen=[-infinity, 0])
wrong("-746", log_softmax(-746), [-746, 0], seen=[-infinity, 0])
wrong("-90, the classic engine", log_softmax(-90, engine=getattr(cv2.dnn, "ENGINE_CLASSIC", None)), [-90, 0],
      seen=[-infinity, 0])
right("-20", log_softmax(-20), [-20, 0])
verdict()

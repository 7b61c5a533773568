"""
title: A reduction whose axes name all axes kills the process (SIGSEGV) in OpenCV 4 and in the classic engine of 5.
library: OpenCV
shows: 4.10.0, 4.14.0, 5.0.0
class: bug
condition: Two axes or more, by an attribute or a constant input; ReduceSum, ReduceMax, ReduceMean.  Axes that are left
    out, which mean the same, are right, and so is the new engine.
rule: ONNX ReduceSum-13, input axes: any axes of data.
documented: docs/methods/fuzz.md, Found
tracker: none found
"""
from library import NEW, Died, call, cv2, right, verdict, wrong

CLASSIC = getattr(cv2.dnn, "ENGINE_CLASSIC", None)


def reduce(node, opset, **engine):
    return call("(float[2,3] x) => (float[1,1] y) <int64[2] axes = {0, 1}> { y = %s }" % node, range(6), opset=opset,
                **engine)


wrong("ReduceSum", reduce("ReduceSum(x, axes)", 13, engine=CLASSIC), [15], seen=Died("SIGSEGV"))
wrong("ReduceMax", reduce("ReduceMax<axes = [0, 1]>(x)", 13, engine=CLASSIC), [5], seen=Died("SIGSEGV"))
right("ReduceSum, no axes", reduce("ReduceSum(x)", 13, engine=CLASSIC), [15])
if NEW is not None:
    right("ReduceSum, the new engine", reduce("ReduceSum(x, axes)", 13), [15])
verdict()

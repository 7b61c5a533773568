"""
title: Resize with keep_aspect_ratio_policy leaves an axis that `axes` counts from the end as it is.
library: onnxruntime
shows: 1.31.1
class: bug
condition: keep_aspect_ratio_policy is not_larger or not_smaller and an element of axes is negative.
rule: ONNX Resize-18, attribute axes: "Negative value means counting dimensions from the back".
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxruntime/issues/28788 is about OpenVINO as a provider
"""
from library import array, model, right, run, verdict, wrong


def resize(axes, policy):
    m = model("""(float[1,1,1,2] x) => (float[a,b,c,d] y) <int64[2] sizes = {2, 4}>
        { y = Resize<axes = %s, keep_aspect_ratio_policy = "%s">(x, , , sizes) }""" % (axes, policy), opset=18)
    return lambda: run(m, [1, 2])


# Both axes are to be twice as long; nearest neighbours.
double = array([1, 1, 2, 4], [1, 1, 2, 2] * 2)
wrong("the last axis as -1", resize("[2, -1]", "not_larger"), double, seen=array([1, 1, 2, 2], [1, 2] * 2))
right("the last axis as 3", resize("[2, 3]", "not_larger"), double)
right("as -1, stretched", resize("[2, -1]", "stretch"), double)
verdict()

"""
title: Resize ignores keep_aspect_ratio_policy.
library: OpenCV
shows: 5.0.0
class: bug
condition: keep_aspect_ratio_policy not_larger or not_smaller, and sizes of another ratio.
rule: ONNX Resize-18, attribute keep_aspect_ratio_policy.
documented: data/quirks.tsv, Resize
tracker: https://github.com/opencv/opencv/pull/29323 (merged; adds it)
"""
from library import array, call, right, verdict, wrong

def resize(policy):
    return call("""(float[1,1,1,1] x, int64[2] s) => (float[1,1,a,b] y)
        { y = Resize<axes = [2, 3], mode = "nearest", keep_aspect_ratio_policy = "%s">(x, , , s) }""" % policy, [1],
                [1, 2], opset=18)


wrong("not_larger", resize("not_larger"), array([1, 1, 1, 1], [1]), seen=array([1, 1, 1, 2], [1, 1]))
wrong("not_smaller", resize("not_smaller"), array([1, 1, 2, 2], [1] * 4), seen=array([1, 1, 1, 2], [1, 1]))
right("stretch", resize("stretch"), array([1, 1, 1, 2], [1, 1]))
verdict()

"""
title: Resize with axes = [3, 2] takes its scales for the axes [2, 3].
library: OpenCV
shows: 5.0.0
class: bug
condition: axes that are not sorted.
rule: ONNX Resize-18, attribute axes: scales and sizes are given for those axes, in that order.
documented: data/quirks.tsv, Resize
tracker: https://github.com/opencv/opencv/pull/29323 (merged; takes axes in their order)
"""
from library import array, call, right, verdict, wrong

def resize(axes, sizes):
    return call("""(float[1,1,1,2] x, float[2] s) => (float[1,1,a,b] y)
        { y = Resize<axes = %s, mode = "nearest">(x, , s) }""" % (axes,), [1, 2], sizes, opset=18)


wrong("3 2", resize([3, 2], [1, 2]), array([1, 1, 2, 2], [1, 2, 1, 2]), seen=array([1, 1, 1, 4], [1, 1, 2, 2]))
right("2 3", resize([2, 3], [2, 1]), array([1, 1, 2, 2], [1, 2, 1, 2]))
verdict()

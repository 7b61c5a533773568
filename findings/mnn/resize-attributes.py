"""
title: Resize ignores antialias, axes and keep_aspect_ratio_policy.
library: MNN
shows: 3.6.1
class: bug
condition: One of them is given and changes something.
rule: ONNX Resize-18.
documented: data/quirks.tsv, Resize
tracker: none found
"""
from library import array, call, right, verdict, wrong

def resize(width, scale, size, more, *x):
    return call("""(float[1,1,1,%d] x) => (float[1,1,1,%d] y) <float[4] s = {1, 1, 1, %s}>
        { y = Resize<%s>(x, , s) }""" % (width, size, scale, more), x, opset=18)


def other(more, scales):
    return call("""(float[1,1,2,4] x) => (float[1,1,h,w] y) <%s> { y = Resize<mode = "nearest", axes = [2,3]%s }"""
                % (scales, more), range(8), opset=18)


wide = [0, 0, 0, 8, 0, 0, 0, 0]
# Weights of places 0.5 and 1.5 away from the middle are 3 / 8 and 1 / 8.
wrong("antialias", resize(8, "0.5", 4, 'mode = "linear", antialias = 1', *wide), [0, 3, 1, 0], seen=[0, 4, 0, 0])
right("no antialias", resize(8, "0.5", 4, 'mode = "linear"', *wide), [0, 4, 0, 0])
twice = [0, 1, 2, 3] * 2 + [4, 5, 6, 7] * 2
wrong("not_larger than 4 x 4", other(', keep_aspect_ratio_policy = "not_larger">(x, , , z)', "int64[2] z = {4, 4}"),
      array([1, 1, 2, 4], range(8)), seen=array([1, 1, 4, 4], twice))
wrong("axes 2 and 3", other(">(x, , s)", "float[2] s = {2, 1}"), array([1, 1, 4, 4], twice))
verdict()

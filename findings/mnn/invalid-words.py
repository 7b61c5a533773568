"""
title: Resize with a word that is no mode of ONNX, Transpose with an axis twice, and Slice with an axis that is not
    there are run; they must be refused.
library: MNN
shows: 3.6.1
class: bug
condition: coordinate_transformation_mode of Resize; perm of Transpose; axes of Slice.
rule: ONNX Resize-13, attribute coordinate_transformation_mode, which lists its words; Transpose-13, attribute perm: a
    permutation of the axes; Slice-13: axes in the range [-r, r-1].
documented: docs/campaign.md, All methods on all libraries
tracker: none found
found: fuzz
"""
from library import Refused, call, right, verdict, wrong


def node(text):
    return call("""(float[1,1,2,2] x) => (float[a,b,c,d] y) <float[4] s = {1, 1, 2, 2}, int64[1] o = {0},
        int64[1] e = {1}, int64[1] far = {-1000}, int64[1] last = {3}> { y = %s }""" % text, [1, 2, 3, 4], check=False,
                opset=13)


resize = 'Resize<mode = "nearest", nearest_mode = "floor", coordinate_transformation_mode = "%s">(x, "", s)'
wrong("Resize, no_such_word", node(resize % "no_such_word"), Refused())
wrong("Transpose, perm 0 1 2 2", node("Transpose<perm = [0, 1, 2, 2]>(x)"), Refused())
wrong("Slice, axis -1000", node("Slice(x, o, e, far)"), Refused())
right("Resize, asymmetric", node(resize % "asymmetric"), [1, 1, 2, 2] * 2 + [3, 3, 4, 4] * 2)
right("Transpose, perm 0 1 3 2", node("Transpose<perm = [0, 1, 3, 2]>(x)"), [1, 3, 2, 4])
right("Slice, axis 3", node("Slice(x, o, e, last)"), [1, 3])
verdict()

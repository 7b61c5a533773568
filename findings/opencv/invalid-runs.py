"""
title: Nodes with a word, an axis or an index that does not exist, or without a required input or attribute, are
    run; they must be refused.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine: Conv and Resize with a word that ONNX does not have, GatherND
    with index -1000, DFT with axis 1000, Concat without axis, Expand without shape, Size without its input.
rule: ONNX Conv-11, auto_pad, and Resize-13, coordinate_transformation_mode, list their words; GatherND-13: "It is an
    error if any of the index values are out of bounds"; DFT-20: axis in [-r, r-2]; the others are required.
documented: docs/campaign.md, All methods on all libraries
tracker: none found
found: fuzz
"""
from library import Refused, call, right, verdict, wrong

CONSTANTS = ("<float[1,1,1,1] w = {2}, int64[1,1] far = {-1000}, int64[1,1] near = {0}, int64 a = {1000}, "
             "float[4] s = {1, 1, 1, 2}, int64 depth = {3}, int64[4] same = {1, 1, 1, 2}>")


def node(text, opset=18):
    return call("(float[1,1,1,2] x) => (float[k,l,m,n] y) %s { y = %s }" % (CONSTANTS, text), [1, 2], check=False,
                opset=opset)


wrong("Conv, auto_pad", node('Conv<auto_pad = "no_such_word">(x, w)'), Refused(), seen=[2, 4])
wrong("Resize", node('Resize<mode = "cubic", coordinate_transformation_mode = "no_such_word">(x, "", s)'), Refused())
wrong("GatherND, index -1000", node("GatherND(x, far)"), Refused())
wrong("DFT, axis 1000", node('DFT(x, "", a)', 20), Refused())
wrong("Concat without axis", node("Concat(x, x)"), Refused())
wrong("Expand without shape", node('Expand(x, "")'), Refused(), seen=[1, 2])
wrong("Size without its input", node('Size("")'), Refused())
right("Conv, VALID", node('Conv<auto_pad = "VALID">(x, w)'), [2, 4])
right("GatherND, index 0", node("GatherND(x, near)"), [1, 2])
right("Expand", node("Expand(x, same)"), [1, 2])
verdict()

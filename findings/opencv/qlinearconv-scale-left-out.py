"""
title: QLinearConv without the scale of its weights kills the process; it must be refused.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine, w_scale left out by an empty name.  With it the node is right.
rule: ONNX QLinearConv-10: w_scale is a required input; ONNX IR, "Optional Inputs and Outputs": an empty name stands for
    an input that is left out, which only optional ones may be.
documented: docs/campaign.md, All methods on all libraries
tracker: none found
found: fuzz
"""
from library import Died, Refused, call, right, verdict, wrong


def conv(w_scale):
    return call("""(int8[1,1,1,2] x) => (int8[1,1,1,2] y) <float s = {1}, int8 z = {0}, int8[1,1,1,1] w = {2}>
        { y = QLinearConv(x, s, z, w, %s, z, s, z) }""" % w_scale, [1, 2], check=False)


wrong("no w_scale", conv('""'), Refused(), seen=Died())
right("w_scale", conv("s"), [2, 4])
verdict()

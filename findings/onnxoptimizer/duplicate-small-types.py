"""
title: A model with two constants of int4, float8 or float4 is refused ("no supported data type: 22"); it is valid.
library: onnxoptimizer
shows: 0.4.2
class: bug
condition: Pass eliminate_duplicate_initializer, one of the passes that fuse and eliminate, which the command line runs
    by default.  Other passes take such models, and int8 is right.
rule: ONNX IR, "Tensor Element Types": float8, int4 and float4 are types of tensors.  An optimizer that does not know a
    type has nothing to do.
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/onnxsim/onnxsim/pull/464 (merged: onnxsim leaves the pass out)
found: fuzz
"""
from library import Refused, call, right, verdict, wrong

PASS = ["eliminate_duplicate_initializer"]


def sums(kind, *passes):
    """Of two constants of 1."""
    text = """() => (float[1] y) <%s[1] a = {1}, %s[1] b = {1}>
        { c = Cast<to = 1>(a) d = Cast<to = 1>(b) y = Add(c, d) }""" % (kind, kind)
    return call(text, passes=passes or PASS, opset=23, ir=11)


wrong("int4", sums("int4"), [2], seen=Refused("no supported data type: 22"))
wrong("uint4", sums("uint4"), [2], seen=Refused("no supported data type: 21"))
right("int4, another pass", sums("int4", "eliminate_identity"), [2])
right("int8", sums("int8"), [2])
verdict()

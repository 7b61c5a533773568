"""
title: Cast of a float to bool cuts off its fraction, and keeps other numbers: 0.5 is false, and -3 comes back as -3.
library: rten
shows: 0.27.0
class: bug
condition: Cast to bool; rten has int32 in the place of bool.  0 and 1 are right.
rule: ONNX Cast-13: a number becomes false where it is 0 and true elsewhere; false and true become 0 and 1.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import call, right, verdict, wrong


def through_bool(*x):
    return call("(float[2] x) => (float[2] y) { b = Cast<to = 9>(x) y = Cast<to = 1>(b) }", x)


wrong("a fraction", through_bool(0.5, 1), [1, 1], seen=[0, 1])
wrong("minus three", through_bool(-3, 0), [1, 0], seen=[-3, 0])
right("0 and 1", through_bool(0, 1), [0, 1])
verdict()

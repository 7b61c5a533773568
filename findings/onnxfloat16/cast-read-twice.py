"""
title: A Cast of an input to float32 that two nodes read ends in AttributeError.
library: onnxconverter-common
shows: 1.16.0
class: bug
condition: keep_io_types; the input of the Cast is an input of the graph; without the Cast it is right.
rule: ONNX Cast: the type may be the one that the input has.
documented: data/quirks.tsv, Cast
tracker: none found; https://github.com/microsoft/onnxconverter-common/issues/307 is about another error of the function
    that removes casts
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(float[2] x) => (float[2] y) { t = Cast <to = 1> (x) %s }"

wrong("two readers", call(TEXT % "a = Neg(t) y = Add(a, t)", [1, 2]), [0, 0], seen=Refused("has no attribute 'input'"))
right("no Cast", call("(float[2] x) => (float[2] y) { a = Neg(x) y = Add(a, x) }", [1, 2]), [0, 0])
verdict()

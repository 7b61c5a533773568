"""
title: The optimizer fails on a constant that folding makes a string tensor.
library: onnxscript
shows: 0.7.2
class: bug
condition: The folded node's output has strings: a Cast of a constant to strings, an Identity of one.
rule: ONNX Cast-13: to may be STRING; the model passes ONNX's checker.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
import numpy as np
from library import Refused, call, right, verdict, wrong

TEXT = "(string[1] x) => (bool[1] y) <%s> { %s y = Equal(t, x) }"
X = np.array(["1"], dtype=object)
FAILS = Refused("PassManager")

wrong("Cast of a constant", call(TEXT % ("int64[1] w = {1}", "t = Cast<to = 8>(w)"), X, opset=19, ir=9), [True],
      seen=FAILS)
wrong("Identity of a constant", call(TEXT % ('string[1] w = {"1"}', "t = Identity(w)"), X, opset=19, ir=9), [True],
      seen=FAILS)
right("nothing to fold", call("(string[1] x, string[1] t) => (bool[1] y) { y = Equal(t, x) }", X, X, opset=19, ir=9),
      [True])
verdict()

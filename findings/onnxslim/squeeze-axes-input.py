"""
title: Squeeze whose axes are an input of the graph ends in IndexError.
library: onnxslim
shows: 0.1.98
class: bug
condition: the axes are no constant, and more than one axis could go.
rule: ONNX Squeeze-13: axes is an input; nothing says that it is a constant.
documented: data/quirks.tsv, Squeeze
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(float[1, 2, 1] x%s) => (float[1, 2] y) %s{ y = Squeeze(x, a) }"
X = [[[1], [2]]]

wrong("an input", call(TEXT % (", int64[1] a", ""), X, [-1]), [1, 2], seen=Refused("IndexError"))
right("a constant", call(TEXT % ("", "<int64[1] a = {-1}> "), X), [1, 2])
verdict()

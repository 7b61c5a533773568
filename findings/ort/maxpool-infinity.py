"""
title: MaxPool and GlobalMaxPool of minus infinity alone return the lowest float, -3.4e38; minus infinity is right.
library: onnxruntime
shows: 1.31.1
class: bug
condition: float32, all numbers that a window sees are minus infinity, with or without padding.  With dilations, with
    the second output or of float64 it is minus infinity, as ReduceMax of the same numbers is.
rule: ONNX MaxPool-12: "computing the max on all values of a subset of the input tensor"; padding is not one of them.
documented: docs/methods/fuzz.md, What it found
tracker: none found
found: fuzz
"""
from library import model, right, run, verdict, wrong

inf = float("inf")


def pooled(node, x, kind="float", more=""):
    m = model("(%s[1,1,%d] x) => (%s[1,1,k] y%s) { y%s = %s(x) }"
              % (kind, len(x), kind, more and ", int64[1,1,k] i", more, node))
    return lambda: run(m, x)[0]


lowest = -3.4028234663852886e38
two = "MaxPool<kernel_shape = [2]>"
wrong("two of minus infinity", pooled(two, [-inf, -inf]), [-inf], seen=[lowest])
wrong("one and padding", pooled("MaxPool<kernel_shape = [2], pads = [0, 1]>", [-inf]), [-inf], seen=[lowest])
wrong("GlobalMaxPool", pooled("GlobalMaxPool", [-inf, -inf]), [-inf], seen=[lowest])
right("two of minus infinity, with their indices", pooled(two, [-inf, -inf], more=", i"), [-inf])
right("with dilations", pooled("MaxPool<kernel_shape = [2], dilations = [2]>", [-inf, -inf, -inf]), [-inf])
right("of float64", pooled(two, [-inf, -inf], "double"), [-inf])
right("minus infinity and -1", pooled(two, [-inf, -1]), [-1])
verdict()

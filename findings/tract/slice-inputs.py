"""
title: Slice with starts or ends that are inputs of the graph does not run ("Symbol … points to an invalid …
    SymbolScope").
library: tract
shows: 0.23.9
class: bug
condition: starts or ends is an input.  Constants are right.
rule: ONNX Slice-13, inputs starts and ends.
documented: data/quirks.tsv, Slice
tracker: none found
"""
from library import Refused, model, right, run, verdict, wrong

given = model("(float[4] x, int64[1] s, int64[1] e) => (float[n] y) { y = Slice(x, s, e) }")
constant = model("(float[4] x) => (float[2] y) <int64[1] s = {1}, int64[1] e = {3}> { y = Slice(x, s, e) }")
wrong("inputs", lambda: run(given, [1, 2, 3, 4], [1], [3]), [2, 3], seen=Refused("SymbolScope"))
right("constants", lambda: run(constant, [1, 2, 3, 4]), [2, 3])
verdict()

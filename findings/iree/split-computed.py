"""
title: The compiler dies at a Split into computed sizes whose parts have no declared rank.
library: iree-base-compiler
shows: 3.13.0
class: bug
condition: the sizes are computed in the graph, so that ONNX's inference leaves the rank of the parts open, and other
  nodes read the parts.  Where they are outputs with declared axes it is right.
rule: ONNX Split-18: split is an input like any other.
documented: data/quirks.tsv, Split
tracker: none found
"""
from library import SECONDS, Refused, call, right, verdict, wrong

X = [0, 1, 2, 3, 4, 5, 6, 7]
READ = """(float[2,4] x, int64[1] a, int64[1] b) => (float[2,4] w)
    { l = Concat <axis = 0> (a, b) y, z = Split <axis = 1> (x, l) w = Concat <axis = 1> (z, y) }"""
GIVEN = """(float[2,4] x, int64[1] a, int64[1] b) => (float[2,N] y, float[2,M] z)
    { l = Concat <axis = 0> (a, b) y, z = Split <axis = 1> (x, l) }"""

wrong("parts that a node reads", call(READ, X, [1], [3], opset=21), [1, 2, 3, 0, 5, 6, 7, 4],
      seen=Refused("code: -11"), seconds=SECONDS)
right("parts that are outputs", call(GIVEN, X, [1], [3], opset=21), ([0, 4], [1, 2, 3, 5, 6, 7]), seconds=SECONDS)
verdict()

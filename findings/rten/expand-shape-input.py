"""
title: A model whose Expand has its shape from an input of the graph, with fewer axes, ends the process.
library: rten
shows: 0.27.0
class: bug
condition: The shape is an input of the graph and has fewer numbers than the tensor has axes.
rule: ONNX Expand-8: broadcast rule is similar to numpy.array(input) * numpy.ones(shape).
documented: data/quirks.tsv, Expand
tracker: none found
"""
from library import Died, call, right, verdict, wrong

INPUT = """(float[1,3,1] x, int64[2] shape) => (float[1,3,1] y) { y = Expand(x, shape) }"""
CONSTANT = """(float[1,3,1] x) => (float[1,3,1] y) <int64[2] shape = {3, 1}> { y = Expand(x, shape) }"""

wrong("an input", call(INPUT, [1, 2, 3], [3, 1]), [1, 2, 3], seen=Died())
right("a constant", call(CONSTANT, [1, 2, 3]), [1, 2, 3])
verdict()

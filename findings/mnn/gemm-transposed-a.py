"""
title: Gemm with transA = 1 and a B that is constant gives the result transposed: its shape is right, its numbers stand
    in the order of the columns.
library: MNN
shows: 3.6.1
class: bug
condition: transA = 1, B is a constant, and the result has more than one row and more than one column.  With B an
    input of the graph, or transA = 0, it is right.
rule: ONNX Gemm-13: A' * B', where A' is the transpose of A.
documented: docs/methods/fuzz.md, Found in MNN and tract on 19 November
tracker: none found
found: fuzz
"""
from library import call, right, verdict, wrong


def constant(more=""):
    return call("""(float[1,3] x) => (float[3,2] y) <float[1,2] w = {1, 10}, float[2] c = {0, 0}>
        { y = Gemm<transA = 1>(x, w%s) }""" % more, [1, 2, 3])


columns = [1, 2, 3, 10, 20, 30]
rows = [1, 10, 2, 20, 3, 30]
wrong("B is a constant", constant(), rows, seen=columns)
wrong("with C", constant(", c"), rows, seen=columns)
right("B is an input", call("(float[1,3] x, float[1,2] w) => (float[3,2] y) { y = Gemm<transA = 1>(x, w) }", [1, 2, 3],
                            [1, 10]), rows)
right("transA 0", call("(float[3,1] x) => (float[3,2] y) <float[1,2] w = {1, 10}> { y = Gemm(x, w) }", [1, 2, 3]), rows)
verdict()

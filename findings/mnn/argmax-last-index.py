"""
title: ArgMax and ArgMin ignore select_last_index: the first of equal values comes out.
library: MNN
shows: 3.6.1
class: bug
condition: select_last_index = 1 and equal values.
rule: ONNX ArgMax-13, attribute select_last_index.
documented: data/quirks.tsv, ArgMax
tracker: none found
"""
from library import call, right, verdict, wrong

def arg(op, last, *x):
    return call("(float[3] x) => (int64[1] y) { y = %s<axis = 0, select_last_index = %d>(x) }" % (op, last), x)


wrong("ArgMax", arg("ArgMax", 1, 2, 2, 1), [1], seen=[0])
wrong("ArgMin", arg("ArgMin", 1, 1, 1, 2), [1], seen=[0])
right("ArgMax, the first", arg("ArgMax", 0, 2, 2, 1), [0])
right("ArgMax, none equal", arg("ArgMax", 1, 1, 2, 1), [1])
verdict()

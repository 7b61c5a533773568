"""
title: Max, Min, Mean and Sum of one input kill the process (SIGSEGV).
library: MNN
shows: 3.6.1
class: bug
condition: One input.  Two are right.
rule: ONNX Max-13 and the like: one input or more.
documented: data/quirks.tsv, Max
tracker: none found
"""
from library import Died, call, right, verdict, wrong

def of(op, *values):
    names = ["x%d" % i for i in range(len(values))]
    return call("(%s) => (float[2] y) { y = %s(%s) }" % (", ".join("float[2] " + n for n in names), op,
                                                         ", ".join(names)), *values)


for op in ("Max", "Min", "Mean", "Sum"):
    wrong(op + " of one", of(op, [1, 2]), [1, 2], seen=Died("SIGSEGV"))
right("Max of two", of("Max", [1, 2], [2, 1]), [2, 2])
verdict()

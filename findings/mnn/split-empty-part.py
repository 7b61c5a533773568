"""
title: Split with a part of size 0 kills the process, or mixes up the other parts; the part must be empty.
library: MNN
shows: 3.6.1
class: bug
condition: A 0 among the sizes.  Sizes above 0 are right.
rule: ONNX Split-13 and later, input split: "Values should be >= 0".
documented: data/quirks.tsv, Split
tracker: none found
"""
from library import array, call, right, verdict, wrong


def split(first, second):
    return call("(float[6] x) => (float[%d] y) { s = Constant<value_ints = [%d, %d]>() a, b = Split<axis = 0>(x, s) "
                "y = Neg(a) }" % (first, first, second), range(6), opset=18)


wrong("6 and 0", split(6, 0), array([6], [0, -1, -2, -3, -4, -5]))
right("4 and 2", split(4, 2), array([4], [0, -1, -2, -3]))
verdict()

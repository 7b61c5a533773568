"""
title: GlobalLpPool takes no absolute values and divides by the number of elements: of -7 and 2, p=1 gives -2.5; 9 is
    right.
library: tract
shows: 0.23.9
class: bug
condition: None: (mean of x^p)^(1/p) is computed.  It is right for one element that is not negative.
rule: ONNX GlobalLpPool-2, "Lp pool pooling": the p norm, as in LpPool-18: the sum of |x|^p, then its root.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
import math

from library import model, right, run, verdict, wrong


def pool(values, p):
    m = model("(float[1,1,%d] x) => (float[1,1,1] y) { y = GlobalLpPool<p = %d>(x) }" % (len(values), p))
    return lambda: run(m, values)


wrong("-7 and 2, p = 1", pool([-7, 2], 1), [9], seen=[-2.5])
wrong("-7 and 2, p = 2", pool([-7, 2], 2), [math.sqrt(53)], seen=[math.sqrt(53 / 2)])
wrong("-4, p = 3", pool([-4], 3), [4], seen=[float("nan")])
right("4, p = 3", pool([4], 3), [4])
verdict()

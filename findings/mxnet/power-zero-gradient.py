"""
title: The gradients of x ** 0 at 0 and of 0 ** x are NaN; both are 0.
library: mxnet
shows: 1.6.0, 1.9.1
class: bug
condition: x ** 0 at x = 0; 0 ** x for x above 0.
rule: x ** 0 is 1 for every x, and 0 ** x is 0 for every x above 0.
documented: docs/methods/equiv.md, What was measured
tracker: none found
"""
import math

from library import gradient, right, verdict, wrong

NAN = float("nan")
wrong("x ** 0 at 0 and 1", gradient(lambda v: v ** 0, [0, 1]), [0, 0], seen=[NAN, 0])
wrong("0 ** x at 1 and 2", gradient(lambda v: 0 ** v, [1, 2]), [0, 0], seen=[NAN, NAN])
right("x ** 2 at 0 and 1", gradient(lambda v: v ** 2, [0, 1]), [0, 2])
right("2 ** x at 1 and 2", gradient(lambda v: 2 ** v, [1, 2]), [2 * math.log(2), 4 * math.log(2)])
verdict()

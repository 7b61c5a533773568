"""
title: The gradient of np.where(c, x, scalar) is 0 where c is true and 1 where it is false; the other way round is
    right.
library: mxnet
shows: 1.9.1
class: bug
condition: One of the two choices is a scalar.
rule: np.where: the result is x where c is true.
documented: docs/methods/equiv.md, What was measured
tracker: https://github.com/apache/mxnet/issues/17893 (closed; the fix is in https://github.com/apache/mxnet/pull/17899)
"""
from library import gradient, mx, right, verdict, wrong

x = [0.5, -1, 2]
wrong("where(x > 0, x, 3)", gradient(lambda v: mx.np.where(v > 0, v, 3.0), x), [1, 0, 1], seen=[0, 1, 0])
wrong("where(x > 0, 3, x)", gradient(lambda v: mx.np.where(v > 0, 3.0, v), x), [0, 1, 0], seen=[1, 0, 1])
right("where(x > 0, x, 2 x)", gradient(lambda v: mx.np.where(v > 0, v, v * 2), x), [1, 2, 1])
verdict()

"""
title: The gradient of np.prod and nanprod by an element that is 0 is NaN; the product of the others is right.
library: mxnet
shows: 1.6.0, 1.9.1
class: bug
condition: An element is 0.
rule: The derivative of a product by one factor is the product of the others.
documented: docs/methods/equiv.md, What was measured; docs/methods/swap.md, Cases
tracker: https://github.com/apache/mxnet/issues/17864
"""
from library import gradient, mx, right, verdict, wrong

NAN = float("nan")
wrong("prod of 0, 2, 3", gradient(lambda v: mx.np.prod(v), [0, 2, 3]), [6, 0, 0], seen=[NAN, 0, 0])
wrong("nanprod of 0, 2, 3", gradient(lambda v: mx.nd.nanprod(v.as_nd_ndarray()), [0, 2, 3]), [6, 0, 0],
      seen=[NAN, 0, 0])
right("prod of 1, 2, 3", gradient(lambda v: mx.np.prod(v), [1, 2, 3]), [6, 3, 2])
verdict()

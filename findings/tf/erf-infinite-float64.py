"""
title: tf.math.erf of an infinite float64 is NaN; 1 and -1 are right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: float64, plus or minus infinity, eager.  float32, finite numbers and XLA are right.
rule: tf.math.erf is the Gauss error function, whose limits are -1 and 1.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
"""
import numpy as np

from library import called, right, verdict, wrong


def erf(kind, *values, how="eager"):
    return called(lambda tf, x: tf.math.erf(x), np.array(values, kind), how=how)


wrong("infinity", erf(np.float64, np.inf), [1.], seen=[np.nan])
wrong("minus infinity", erf(np.float64, -np.inf, 0.), [-1., 0.], seen=[np.nan, 0.])
right("a large number", erf(np.float64, 1e15, -1e15), [1., -1.])
right("float32", erf(np.float32, np.inf, -np.inf), [1., -1.])
right("XLA", erf(np.float64, np.inf, -np.inf, how="xla"), [1., -1.])
verdict()

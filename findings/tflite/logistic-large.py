"""
title: LOGISTIC of 1e28 is NaN, and so is that of -1e28; 1 and 0 are right.
library: ai-edge-litert
shows: 2.3.0
class: bug
condition: By XNNPACK, the default, of most numbers from 2^91 (2.5e27) on and of all that were tried from 2^96 to 2^124.
    Without XNNPACK, and of 1e20, 3.4e38 and infinity, the value is right.
rule: LOGISTIC is 1 / (1 + e^-x), which is never beyond 0 and 1.
documented: docs/methods/fuzz.md, Found
tracker: https://github.com/tensorflow/tensorflow/issues/118391 (closed);
    https://github.com/tensorflow/tensorflow/pull/119354 (closed)
found: fuzz
"""
from library import litert, operator, right, verdict, wrong

DEFAULT = litert.OpResolverType.AUTO
nan, inf = float("nan"), float("inf")

wrong("1e28, 5e29 and -5e29", operator("LOGISTIC", [1e28, 5e29, -5e29, 0], kernels=DEFAULT), [1, 1, 0, 0.5],
      seen=[nan, nan, nan, 0.5])
right("the same without XNNPACK", operator("LOGISTIC", [1e28, 5e29, -5e29, 0]), [1, 1, 0, 0.5])
right("1e20 and infinity", operator("LOGISTIC", [1e20, inf, -inf, 0], kernels=DEFAULT), [1, 1, 0, 0.5])
verdict()

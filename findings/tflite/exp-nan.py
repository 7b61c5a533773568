"""
title: EXP of NaN is 0; NaN is right.
library: ai-edge-litert
shows: 1.4.0, 2.1.6, 2.3.0
since: 1.4.0 (1.2.0 is right)
class: difference
condition: By XNNPACK, the default, which promises nothing about NaN.  Without it NaN comes out, and so it does of TANH,
    LOGISTIC, LOG and SQRT by XNNPACK.
rule: IEEE 754: a function of NaN is NaN unless it is the same for all numbers.
documented: docs/methods/fuzz.md, Found
tracker: https://github.com/tensorflow/tensorflow/issues/120299 (closed)
"""
from library import litert, operator, right, verdict, wrong

nan = float("nan")
DEFAULT = litert.OpResolverType.AUTO

wrong("EXP", operator("EXP", [nan, 0, 0, 0], kernels=DEFAULT), [nan, 1, 1, 1], seen=[0, 1, 1, 1])
right("EXP without XNNPACK", operator("EXP", [nan, 0, 0, 0]), [nan, 1, 1, 1])
right("TANH", operator("TANH", [nan, 0, 0, 0], kernels=DEFAULT), [nan, 0, 0, 0])
right("LOGISTIC", operator("LOGISTIC", [nan, 0, 0, 0], kernels=DEFAULT), [nan, 0.5, 0.5, 0.5])
verdict()

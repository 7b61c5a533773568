"""
title: EXP of 88.5 is infinity; e^88.5 is 2.7e38, below the largest float.
library: ai-edge-litert
shows: 1.4.0, 2.1.6, 2.3.0
since: 1.4.0 (1.2.0 is right)
class: limit
condition: By XNNPACK, the default, between 88.38 and 88.72.  Without it the value is right, and so is that of 88.
rule: EXP is e^x; the largest float32 is 3.4028e38 = e^88.7228.
documented: docs/methods/fuzz.md, Found
tracker: none found
"""
import math

from library import litert, operator, right, verdict, wrong

DEFAULT = litert.OpResolverType.AUTO
near = {"rel": 1e-4, "abs": 0}

wrong("88.5", operator("EXP", [88.5] * 4, kernels=DEFAULT), [math.exp(88.5)] * 4, seen=[float("inf")] * 4, **near)
right("88.5 without XNNPACK", operator("EXP", [88.5] * 4), [math.exp(88.5)] * 4, **near)
right("88", operator("EXP", [88] * 4, kernels=DEFAULT), [math.exp(88)] * 4, **near)
verdict()

"""
title: SQRT of 1e38 is 1.5e19, and RSQRT of it 1.5e-19; 1e19 and 1e-19 are right.
library: ai-edge-litert
shows: 2.3.0
class: bug
condition: By XNNPACK, the default, from 2^126 (8.5e37) on, whose reciprocal is below the normal numbers.  Without
    XNNPACK, and below 2^126, the value is right.
rule: SQRT is the square root of each number, RSQRT its reciprocal; both are normal numbers here.
documented: docs/methods/fuzz.md, Found
tracker: none found; https://github.com/google/XNNPACK/issues/10399 (closed) is about infinity
found: fuzz
"""
from library import litert, operator, right, verdict, wrong

DEFAULT = litert.OpResolverType.AUTO

wrong("SQRT of 1e38 and 4", operator("SQRT", [1e38, 4], kernels=DEFAULT), [1e19, 2], seen=[1.5000424e19, 2])
wrong("RSQRT of 1e38 and 4", operator("RSQRT", [1e38, 4], kernels=DEFAULT), [1e-19, 0.5], seen=[1.5000424e-19, 0.5],
      abs=0)
right("SQRT of 1e38 and 4, without XNNPACK", operator("SQRT", [1e38, 4]), [1e19, 2])
right("SQRT of 8e37", operator("SQRT", [8e37, 4], kernels=DEFAULT), [8.9442719e18, 2])
right("RSQRT of 8e37", operator("RSQRT", [8e37, 4], kernels=DEFAULT), [1.11803399e-19, 0.5], abs=0)
verdict()

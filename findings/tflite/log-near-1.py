"""
title: LOG near 1 has an absolute error of 6e-8: of log(0.9952) the fifth digit is wrong.
library: ai-edge-litert
shows: 2.3.0
class: limit
condition: By XNNPACK, the default; numbers near 1, where the logarithm is small.  Without it the digits are right.
rule: LOG is the natural logarithm; no bound of its error is documented.
documented: docs/methods/fuzz.md, Found
tracker: none found
"""
import numpy as np

from library import litert, operator, right, verdict, wrong

x = np.full(8, 0.9952, np.float32)
exact = np.log(x.astype(float)).tolist()

wrong("log(0.9952)", operator("LOG", x, kernels=litert.OpResolverType.AUTO), exact, rel=1e-6, abs=0)
right("without XNNPACK", operator("LOG", x), exact, rel=1e-6, abs=0)
right("log(3)", operator("LOG", [3] * 8, kernels=litert.OpResolverType.AUTO), np.log([3.] * 8).tolist(), rel=1e-6,
      abs=0)
verdict()

"""
title: Conv of whole numbers with a kernel of 5 x 5 is off by up to 0.01, where float32 has every sum exactly.
library: MNN
shows: 3.6.1
class: precision
condition: float32 with PrecisionMode.High, a kernel of 5 x 5 that is constant, enough channels and places (6 and 10
    x 10 here): MNN takes Winograd's method with large tiles.  3 x 3 is off by 4e-5, and 7 x 7 is exact.
rule: ONNX Conv-11.  It sets no accuracy: all products and sums are whole numbers below 2 ** 24.
documented: docs/campaign.md, Search, check, swap, gradients and real models
tracker: none found
"""
import numpy as np

from library import call, right, verdict, wrong

X = np.arange(6 * 14 * 14).reshape(1, 6, 14, 14) % 5 + 1


def conv(size):
    w = np.arange(4 * 6 * size * size).reshape(4, 6, size, size) * 7 % 11 % 3 - 1
    places = 14 - size + 1
    want = sum(w[:, c, i, j, None, None] * X[0, c, i:i + places, j:j + places]
               for c in range(6) for i in range(size) for j in range(size))
    text = "(float[1,6,14,14] x) => (float[1,4,%d,%d] y) <float[4,6,%d,%d] w = {%s}> { y = Conv(x, w) }" % (
        places, places, size, size, ", ".join(str(v) for v in w.ravel()))
    return call(text, X.astype(np.float32)), want.ravel().tolist()


wrong("5 x 5, to 1e-3", *conv(5), abs=1e-3, rel=0)
right("5 x 5, to 0.1", *conv(5), abs=0.1, rel=0)
right("3 x 3, to 1e-3", *conv(3), abs=1e-3, rel=0)
right("7 x 7, to 1e-5", *conv(7), abs=1e-5, rel=0)
verdict()

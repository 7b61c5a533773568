"""
title: Resize ignores cubic_coeff_a and exclude_outside, and mode cubic gives wrong numbers at the border.
library: MNN
shows: 3.6.1
class: bug
condition: mode cubic.  Away from the border, with the default coefficient, it is right.
rule: ONNX Resize-18: weights of cubic convolution, places outside are the border's.
documented: data/quirks.tsv, Resize
tracker: none found; https://github.com/alibaba/MNN/issues/1837 is about wrong bicubic results without a case (closed)
"""
import math

from library import call, right, verdict, wrong

def resize(width, scale, size, more, *x):
    return call("""(float[1,1,1,%d] x) => (float[1,1,1,%d] y) <float[4] s = {1, 1, 1, %s}>
        { y = Resize<%s>(x, , s) }""" % (width, size, scale, more), x, opset=18)


def kernel(d, a):
    d = abs(d)
    near = (a + 2) * d ** 3 - (a + 3) * d ** 2 + 1
    return near if d <= 1 else a * d ** 3 - 5 * a * d ** 2 + 8 * a * d - 4 * a if d < 2 else 0


def formula(x, scale, place, a=-0.75, exclude=False):
    where = (place + 0.5) / scale - 0.5
    parts = []
    for i in range(math.floor(where) - 1, math.floor(where) + 3):
        outside = not 0 <= i < len(x)
        parts.append((0 if exclude and outside else kernel(where - i, a), x[min(max(i, 0), len(x) - 1)]))
    return sum(w * v for w, v in parts) / sum(w for w, _ in parts)


def cubic(more, size):
    return resize(4, "2.0" if size == 8 else "0.6", size, 'mode = "cubic"' + more, 1, 2, 8, 4)


def values(scale, size, **how):
    return [formula([1, 2, 8, 4], scale, i, **how) for i in range(size)]


wrong("upsampled", cubic("", 8), values(2, 8))
wrong("cubic_coeff_a", cubic(", cubic_coeff_a = -0.5", 2), values(0.6, 2, a=-0.5))
wrong("exclude_outside", cubic(", exclude_outside = 1", 2), values(0.6, 2, exclude=True))
right("downsampled", cubic("", 2), values(0.6, 2))
verdict()

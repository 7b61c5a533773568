"""
title: The smallest float16 numbers count as 0: NonZero does not name them; and x / z of two equal small float32
    numbers is inf.
library: tinygrad
shows: 0.14.0
class: precision
condition: The interpreter (DEV=PYTHON), and subnormal numbers; x / z is x times 1 / z, which is too large.  Code that
    clang compiles (DEV=CPU) is right.
rule: ONNX NonZero-13: the indices of the elements that are non-zero; Div-14.
documented: docs/methods/equiv.md, Libraries without a list
tracker: none found
found: equiv
"""
import numpy as np

from library import array, call, right, verdict, wrong


def nonzero(x):
    return call("(float16[2] x) => (int64[1,n] y) { y = NonZero(x) }", np.array([x, 1], np.float16))


def ratio(x):
    x = np.array([x], np.float32)
    return call("(float[1] x, float[1] z) => (float[1] y) { y = Div(x, z) }", x, x, opset=14)


wrong("NonZero", nonzero(2.0**-17), array([1, 2], [0, 1], np.int64), seen=array([1, 1], [1], np.int64))
wrong("Div", ratio(2.0**-129), [1], seen=[np.inf])
right("NonZero of a normal number", nonzero(2.0**-14), array([1, 2], [0, 1], np.int64))
right("Div of a normal number", ratio(2.0**-125), [1])
verdict()

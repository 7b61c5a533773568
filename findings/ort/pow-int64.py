"""
title: Pow of int64 is computed in float64: 5^23, which int64 has, is off by 1, and so is 2^53 + 1 to the power 1.
library: onnxruntime
shows: 1.31.1
class: bug
condition: int64, and a result or a base that float64 does not have.  7^3 and 2^62 are right.
rule: ONNX Pow-15: f(x) = x^exponent, in the type of the base.
documented: docs/methods/fuzz.md, What it found
tracker: none found
found: fuzz
"""
from library import array, model, right, run, verdict, wrong

m = model("(int64[1] x, int64[1] n) => (int64[1] y) { y = Pow(x, n) }")


def power(x, n, less=0):
    return lambda: [v - less for v in run(m, array([1], [x], "int64"), array([1], [n], "int64"))]


wrong("5^23, less what it is", power(5, 23, 5**23), [0], seen=[-1])
wrong("2^53 + 1 to the power 1, less 2^53", power(2**53 + 1, 1, 2**53), [1], seen=[0])
wrong("94906267^2, less what it is", power(94906267, 2, 94906267**2), [0], seen=[-1])
right("7^3", power(7, 3), [343])
right("2^62, less what it is", power(2, 62, 2**62), [0])
verdict()

"""
title: A scalar is read wrongly where it is large: 1e308 is not equal to 1e308, and clip at -3.4028235e38 is at -inf.
library: mxnet
shows: 1.9.1
class: bug
condition: a number beside an array, which an operation is given as text: above some 1e300, and at the end of float32.
    As an array of one element the same number is right, and as a scalar 1e22 and 0.1 are.
rule: mx.np.equal, greater and clip: of the scalar that is given.  The text has 17 digits, which name one double.
documented: docs/methods/fuzz.md, Found
tracker: none found
found: fuzz
"""
from library import mx, np, right, verdict, wrong

LARGEST, LARGEST_32 = 1.7976931348623157e308, 3.4028234663852886e38


def array(x, kind="float64"):
    return mx.np.array(np.array([x], kind), dtype=kind)


def compare(name, x, y):
    return lambda: getattr(mx.np, name)(array(x), y).asnumpy().astype(int)


wrong("1e308 == 1e308", compare("equal", 1e308, 1e308), [1], seen=[0])
wrong("the largest float64 > itself", compare("greater", LARGEST, LARGEST), [0], seen=[1])
wrong("clip(-inf, -3.4028235e38, 0) of float32",
      lambda: mx.np.clip(array(-np.inf, "float32"), -LARGEST_32, 0).asnumpy(), [-LARGEST_32], seen=[-np.inf])
right("1e308 == an array of 1e308", lambda: mx.np.equal(array(1e308), array(1e308)).asnumpy().astype(int), [1])
right("1e22 == 1e22", compare("equal", 1e22, 1e22), [1])
right("0.1 == 0.1", compare("equal", 0.1, 0.1), [1])
right("clip(-inf, -1e30, 0) of float32",
      lambda: mx.np.clip(array(-np.inf, "float32"), -1e30, 0).asnumpy(), [-1e30])
verdict()

"""
title: abs, mod and floor of int64 compute in float64: 2^53 + 1 mod 2 is 0; 1 is right.
library: mxnet
shows: 1.9.1
class: bug
condition: int64 numbers beyond 2^53 that float64 does not have; abs, mod and floor.  Smaller numbers are right, and of
    the large ones negative, multiply and maximum.
rule: mx.np.abs and mx.np.mod: the absolute value, and the remainder, of the type of x; int64 has these numbers.
documented: docs/methods/fuzz.md, Found
tracker: none found; https://github.com/apache/mxnet/issues/13220 (closed) is about floor of smaller numbers
found: fuzz
"""
from library import mx, np, right, verdict, wrong

ODD = 2 ** 53 + 1


def call(name, *xs):
    """Whether the result of mx.np's function is this number is asked in whole numbers, since a float has not got it."""
    def inner(want):
        return lambda: [int(getattr(mx.np, name)(*made(xs)).asnumpy()[0]) - want]
    return inner


def made(xs):
    return [mx.np.array(np.array([x], np.int64), dtype="int64") for x in xs]


exact = {"rel": 0, "abs": 0}
wrong("abs(-2^53 - 1), less what is right", call("abs", -ODD)(ODD), [0], seen=[-1], **exact)
wrong("2^53 + 1 mod 2", call("mod", ODD, 2)(0), [1], seen=[0], **exact)
wrong("2^63 - 1 mod 10", call("mod", 2 ** 63 - 1, 10)(0), [7], seen=[8], **exact)
wrong("floor(2^53 + 1), less what is right", call("floor", ODD)(ODD), [0], seen=[-1], **exact)
right("-(2^53 + 1), less what is right", call("negative", ODD)(-ODD), [0], **exact)
right("abs(-2^53 + 1), less what is right", call("abs", 2 - ODD)(ODD - 2), [0], **exact)
right("2^53 - 1 mod 2", call("mod", ODD - 2, 2)(0), [1], **exact)
verdict()

"""
title: contrib.quantize_asym of an array that has not three axes kills the process (SIGSEGV).
library: mxnet
shows: 1.9.1
class: bug
condition: One, two or four axes, with and without a range.  Three axes are right.
rule: mx.nd.contrib.quantize_asym: data is "a ndarray/symbol of type float32"; what is not supported is to be refused.
documented: docs/campaign.md, The hunt with the other methods
tracker: none found
"""
from library import Died, mx, right, verdict, wrong

X = [0, 1, 2, 4]
EIGHT_BITS = [0, 64, 128, 255]  # int(x * 255 / 4 + 0.5)


def quantized(dims, **options):
    return lambda: mx.nd.contrib.quantize_asym(mx.nd.array(X).reshape(dims), **options)[0].asnumpy()


wrong("one axis", quantized((4,)), EIGHT_BITS, seen=Died())
wrong("two axes", quantized((1, 4)), EIGHT_BITS, seen=Died())
wrong("two axes, a range", quantized((1, 4), min_calib_range=0, max_calib_range=4), EIGHT_BITS, seen=Died())
wrong("four axes", quantized((1, 1, 1, 4)), EIGHT_BITS, seen=Died())
right("three axes", quantized((1, 1, 4)), EIGHT_BITS)
verdict()

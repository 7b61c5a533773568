"""
title: Reshape in front of a Conv with strides is refused; each of them alone is taken.
library: tract
shows: 0.23.9
class: bug
condition: Conv has a window of 1 and a stride above 1 along an axis that the Reshape makes out of another.  A window
    of 2,
    or a stride of 1, is right.
rule: ONNX Reshape-13 and Conv-11.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/sonos/tract/issues/1122 is about padding of a Conv with a window of 1 and a
    stride of 2
"""
from library import Refused, model, right, run, verdict, wrong


def conv(window, stride, size):
    m = model("""(float[16] x) => (float[1,1,%d,%d] y) <int64[4] s = {1, 1, 4, 4}, float[1,1,%d,%d] w = {%s}>
        { r = Reshape(x, s) y = Conv<strides = [%d, %d]>(r, w) }"""
              % (size, size, window, window, ", ".join("1" * window ** 2), stride, stride))
    return lambda: run(m, range(16))


wrong("a window of 1, a stride of 2", conv(1, 2, 2), [0, 2, 8, 10], seen=Refused("Invalid axis"))
right("a window of 2, a stride of 2", conv(2, 2, 2), [10, 18, 42, 50])
right("a window of 1, a stride of 1", conv(1, 1, 4), list(range(16)))
verdict()

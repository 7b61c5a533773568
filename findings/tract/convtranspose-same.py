"""
title: ConvTranspose with auto_pad SAME is refused; it is a valid model.
library: tract
shows: 0.23.9
class: bug
condition: The window is not longer than the stride.
rule: ONNX ConvTranspose-11, attribute auto_pad: "output_shape[i] = input_shape[i] * strides[i]".
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/sonos/tract/issues/991 is about negative pads of ConvTranspose
"""
from library import Refused, model, right, run, verdict, wrong


def transposed(window):
    m = model("""(float[1,1,3] x, float[1,1,%d] w) => (float[1,1,6] y)
        { y = ConvTranspose<auto_pad = "SAME_UPPER", strides = [2]>(x, w) }""" % window)
    return lambda: run(m, [1, 2, 3], [1] * window)


wrong("a window of 2, a stride of 2", transposed(2), [1, 1, 2, 2, 3, 3], seen=Refused("Invalid axis geometry"))
right("a window of 3, a stride of 2", transposed(3), [1, 1, 3, 2, 5, 3])
verdict()

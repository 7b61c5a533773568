"""
title: ConvTranspose with auto_pad SAME_UPPER has 7 elements for 3 with stride 2; 6 is right.
library: openvino
shows: 2024.6.0, 2025.3.0
until: 2025.3.0 (2025.4.1 is right)
class: bug
condition: auto_pad is SAME_UPPER and no output_shape is given.
rule: ONNX ConvTranspose-11, attribute auto_pad: "output_shape[i] = input_shape[i] * strides[i]".
documented: data/quirks.tsv, ConvTranspose
tracker: https://github.com/openvinotoolkit/openvino/pull/32608 (merged; the fix)
"""
from library import array, model, right, run, verdict, wrong


def transposed(attributes, size):
    m = model("(float[1,1,3] x, float[1,1,3] w) => (float[1,1,%d] y) { y = ConvTranspose<%s, strides = [2]>(x, w) }"
              % (size, attributes))
    return lambda: run(m, [1, 2, 3], [1, 1, 1])


full = [1, 1, 3, 2, 5, 3, 3]  # each number three times, two places apart
wrong("SAME_UPPER", transposed('auto_pad = "SAME_UPPER"', 6), array([1, 1, 6], full[:6]), seen=array([1, 1, 7], full))
right("pads [0, 1]", transposed("pads = [0, 1]", 6), array([1, 1, 6], full[:6]))
verdict()

"""
title: QLinearConv takes the scales of the output channels for those of the input channels: 50, 50 come out, 30, 60 is
    right.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: w_scale is a vector whose elements differ.  Where the numbers of input and output channels differ the model
    is
    refused.  One scale for all is right.
rule: ONNX QLinearConv-10, input w_scale: one for each output channel.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import Refused, model, right, run, verdict, wrong


def conv(scales, channels):
    """Two output channels that add the input channels."""
    vector = "[%d]" % len(scales) if len(scales) > 1 else ""
    m = model("""(uint8[1,%d,1] x) => (uint8[1,2,1] y) <float one = {1}, uint8 zero = {0}, int8[2,%d,1] w = {%s},
        float%s ws = {%s}, int8%s wz = {%s}> { y = QLinearConv(x, one, zero, w, ws, wz, one, zero) }"""
              % (channels, channels, ",".join("1" * 2 * channels), vector, ",".join(map(str, scales)), vector,
                 ",".join("0" * len(scales))))
    return lambda: run(m, [10, 20, 30][:channels])


wrong("scales 1 and 2, two input channels", conv([1, 2], 2), [30, 60], seen=[50, 50])
wrong("scales 1 and 2, three input channels", conv([1, 2], 3), [60, 120], seen=Refused("QLinearConv"))
right("scales 1 and 1", conv([1, 1], 2), [30, 30])
right("a scale of 2 for all", conv([2], 2), [60, 60])
verdict()

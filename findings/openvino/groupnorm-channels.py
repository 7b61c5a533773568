"""
title: GroupNormalization of opset 21 is refused: scale and bias have an element for each channel since then.
library: openvino
shows: 2024.6.0, 2026.1.0
until: 2026.1.0 (2026.4.1 is right)
class: bug
condition: Opset 21, fewer groups than channels.
rule: ONNX GroupNormalization-21, inputs scale and bias of shape (C).
documented: data/quirks.tsv, GroupNormalization
tracker: https://github.com/openvinotoolkit/openvino/pull/32700 (merged; adds opset 21)
"""
from library import Refused, model, right, run, verdict, wrong


def normalized(opset, elements):
    m = model("""(float[1,4,1] x, float[%d] s, float[%d] b) => (float[1,4,1] y)
        { y = GroupNormalization<num_groups = 2>(x, s, b) }""" % (elements, elements), opset=opset, ir=9,
              check=opset == 21)  # the checker calls opset 18 deprecated
    return lambda: run(m, [1, 2, 3, 5], [1, 2, 3, 4][:elements], [0] * elements)


# pairs 1, 2 and 3, 5: -1 and 1 of their deviation, up to epsilon
wrong("opset 21, 4 scales", normalized(21, 4), [-1, 2, -3, 4], seen=Refused("GroupNormalization"), abs=1e-3)
right("opset 18, 2 scales", normalized(18, 2), [-1, 1, -2, 2], abs=1e-3)
verdict()

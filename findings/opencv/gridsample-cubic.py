"""
title: GridSample of opset 20 with mode cubic is wrong.
library: OpenCV
shows: 5.0.0
class: bug
condition: mode cubic, the name since opset 20.
rule: ONNX GridSample-20, attribute mode: cubic, with a = -0.75.
documented: data/quirks.tsv, GridSample
tracker: https://github.com/opencv/opencv/pull/29783 (merged; adds the mode)
"""
from library import call, right, verdict, wrong

def sample(mode):
    return call("""(float[1,1,1,4] x, float[1,1,1,2] g) => (float[1,1,1,1] y)
        { y = GridSample<mode = "%s", padding_mode = "border", align_corners = 1>(x, g) }""" % mode,
                [1, 2, 4, 9], [0, 0], opset=20)


# Halfway between the second and the third: -3 19 19 -3 of 32 with a = -0.75.
wrong("cubic", sample("cubic"), [(-3 * 1 + 19 * 2 + 19 * 4 - 3 * 9) / 32])
right("linear", sample("linear"), [3])
verdict()

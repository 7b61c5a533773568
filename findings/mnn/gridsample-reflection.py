"""
title: GridSample with padding_mode reflection gives what border gives.
library: MNN
shows: 3.6.1
class: bug
condition: padding_mode reflection, and a place outside of the image.
rule: ONNX GridSample-16, attribute padding_mode.
documented: data/quirks.tsv, GridSample
tracker: none found; https://github.com/alibaba/MNN/issues/3223 is about GridSample; its padding_mode is not told
"""
from library import call, right, verdict, wrong

def sample(mode, x):
    return call("""(float[1,1,1,4] x, float[1,1,1,2] g) => (float[1,1,1,1] y)
        { y = GridSample<mode = "bilinear", padding_mode = "%s", align_corners = 1>(x, g) }""" % mode,
                [1, 2, 3, 4], [x, 0], opset=16)


# 5 / 3 is one place behind the last pixel, and its mirror image the last but one.
wrong("one place outside", sample("reflection", 5 / 3), [3], seen=[4])
right("border", sample("border", 5 / 3), [4])
right("inside", sample("reflection", 0), [2.5])
verdict()

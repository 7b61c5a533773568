"""
title: Resize with half_pixel_symmetric reads at other places.
library: MNN
shows: 3.6.1
class: bug
condition: The output's size is not the input's times the scale.
rule: ONNX Resize-19, coordinate_transformation_mode half_pixel_symmetric.
documented: data/quirks.tsv, Resize
tracker: none found
"""
from library import call, right, verdict, wrong

def resize(width, scale, size, more, *x):
    return call("""(float[1,1,1,%d] x) => (float[1,1,1,%d] y) <float[4] s = {1, 1, 1, %s}>
        { y = Resize<%s>(x, , s) }""" % (width, size, scale, more), x, opset=18)


def mode(name):
    return resize(4, "0.6", 2, 'mode = "linear", coordinate_transformation_mode = "%s"' % name, 1, 2, 3, 4)


# 2 / 2.4 = 5 / 6, so that places move by 2 (1 - 5 / 6) = 1 / 3 from 1 / 3 and 2.
wrong("half_pixel_symmetric", mode("half_pixel_symmetric"), [1 + 2 / 3, 3 + 1 / 3])
right("half_pixel", mode("half_pixel"), [1 + 1 / 3, 3])
verdict()

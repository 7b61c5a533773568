"""
title: Resize with scales takes positions from the ratio of the sizes, and not from the scales.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine, a scale whose product with the size is no whole number: 3 rows by 0.7 are 2 rows, and the
    library steps by 3 / 2 where 1 / 0.7 is right.
rule: ONNX Resize-18, attribute coordinate_transformation_mode: x_original = x_resized / scale, of asymmetric.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import array, call, right, verdict, wrong


def resize(scale):
    return call("""(float[1,1,3,1] x) => (float[1,1,2,1] y) <float[4] s = {1, 1, %s, 1}>
                   { y = Resize<mode = "linear", coordinate_transformation_mode = "asymmetric">(x, , s) }""" % scale,
                [0, 1, 4], opset=18)


def at(position):
    """Between the elements 1 and 2."""
    return 1 + 3 * (position - 1)


wrong("0.7", resize("0.7"), array([1, 1, 2, 1], [0, at(1 / 0.7)]), seen=array([1, 1, 2, 1], [0, at(3 / 2)]))
right("2 / 3", resize("0.66666669"), array([1, 1, 2, 1], [0, at(3 / 2)]))
verdict()

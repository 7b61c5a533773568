"""
title: The classic engine refuses a linear Resize whose coordinate_transformation_mode is left out; it is half_pixel
    then.
library: OpenCV
shows: 5.0.0
class: bug
condition: The classic engine: "interpolation is linear".  With half_pixel in words it is right.
rule: ONNX Resize-19, attribute coordinate_transformation_mode: half_pixel is the default.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import Refused, call, right, verdict, wrong

TEXT = """(float[1,1,1,2] x) => (float[1,1,1,4] y) <int64[4] s = {1, 1, 1, 4}>
    { y = Resize<mode = "linear"%s>(x, , , s) }"""

wrong("left out", call(TEXT % "", [1, 3], engine=1), [1, 1.5, 2.5, 3], seen=Refused("linear"))
right("given", call(TEXT % ", coordinate_transformation_mode = \"half_pixel\"", [1, 3], engine=1), [1, 1.5, 2.5, 3])
verdict()

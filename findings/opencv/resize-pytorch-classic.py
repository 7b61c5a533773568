"""
title: Resize to one row with pytorch_half_pixel takes the middle row; the first is right.
library: OpenCV
shows: 5.0.0
class: bug
condition: The classic engine, an output of one place.  The new engine is right.
rule: ONNX Resize-19: with pytorch_half_pixel "x_original = length_resized > 1 ? (x_resized + 0.5) / scale - 0.5 : 0".
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import call, right, verdict, wrong

TEXT = """(float[1,1,3,2] x) => (float[1,1,1,2] y) <int64[4] s = {1, 1, 1, 2}>
    { y = Resize<mode = "linear", coordinate_transformation_mode = "pytorch_half_pixel">(x, , , s) }"""
X = [1, 2, 3, 4, 5, 6]

wrong("the classic engine", call(TEXT, X, engine=1), [1, 2], seen=[3, 4])
right("the new engine", call(TEXT, X), [1, 2])
verdict()

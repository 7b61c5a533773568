"""
title: Resize with mode linear over an image of one row gives numbers that are not in the image.
library: OpenCV
shows: 5.0.0
class: bug
condition: mode linear, a height of 1.  Two rows are right.
rule: ONNX Resize-13: each value lies between those of its neighbours.
documented: data/quirks.tsv, Resize
tracker: none found
"""
from library import call, right, verdict, wrong

def resize(rows):
    return call("""(float[1,1,%d,4] x, float[4] s) => (float[1,1,%d,2] y)
        { y = Resize<mode = "linear">(x, , s) }""" % (rows, rows), [1, 2, 3, 8] * rows, [1, 1, 1, 0.5])


wrong("one row", resize(1), [1.5, 5.5])
right("two rows", resize(2), [1.5, 5.5] * 2)
verdict()

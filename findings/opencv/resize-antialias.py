"""
title: Resize ignores antialias.
library: OpenCV
shows: 5.0.0
class: bug
condition: antialias = 1 and a scale below 1.
rule: ONNX Resize-18, attribute antialias: the filter is stretched when the image gets smaller.
documented: data/quirks.tsv, Resize
tracker: https://github.com/opencv/opencv/pull/29323 (merged; adds it)
"""
from library import call, right, verdict, wrong

def resize(antialias):
    return call("""(float[1,1,2,4] x, float[4] s) => (float[1,1,2,2] y)
        { y = Resize<mode = "linear", antialias = %d>(x, , s) }""" % antialias, [1, 2, 3, 8] * 2,
                [1, 1, 1, 0.5], opset=18)


# Weights of the pixels are 1 less half of their distance, and those outside count as the nearest: 4 3 1 of 8.
wrong("antialias", resize(1), [1.625, 5.375] * 2, seen=[1.5, 5.5] * 2)
right("without", resize(0), [1.5, 5.5] * 2)
verdict()

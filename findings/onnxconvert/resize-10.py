"""
title: Resize of opset 10 gets the coordinates of opset 11, which are other ones.
library: onnxconvert
shows: 1.23.2
since: 1.16.2
class: bug
condition: any Resize of opset 10 to 11 and newer.
rule: ONNX Resize-10: a position is divided by the scale; Resize-11 calls that asymmetric, its default is half_pixel.
documented: data/quirks.tsv, Resize
tracker: https://github.com/onnx/onnx/issues/8480
"""
from library import call, right, verdict, wrong

TEXT = ('(float[1, 1, 1, 2] x) => (float[1, 1, 1, 4] y) <float[4] s = {1, 1, 1, 2}> '
        '{ y = Resize<mode = "linear">(x, s) }')
SAME = TEXT.replace("{1, 1, 1, 2}", "{1, 1, 1, 1}").replace("1, 4] y", "1, 2] y")
X = [[[[1, 3]]]]

wrong("twice as wide", call(TEXT, X, opset=10, to=11), [[[[1, 2, 3, 3]]]], seen=[[[[1, 1.5, 2.5, 3]]]])
right("as it is", call(SAME, X, opset=10, to=11), X)
verdict()

"""
title: A Conv without kernel_shape is refused.
library: OpenCV
shows: 5.0.0
class: bug
condition: The classic engine, and weights that are an input of the graph.
rule: ONNX Conv-11, attribute kernel_shape: if not present, it is inferred from the input W.
documented: data/quirks.tsv, Conv
tracker: https://github.com/opencv/opencv/pull/28334 (closed)
"""
import cv2

from library import Refused, call, right, verdict, wrong

def conv(more):
    return call("""(float[1,1,1,2] x, float[1,1,1,1] w) => (float[1,1,1,2] y)
        { y = Conv%s(x, w) }""" % more, [1, 2], [3], engine=cv2.dnn.ENGINE_CLASSIC)


wrong("left out", conv(""), [3, 6], seen=Refused("kernel_size"))
right("told", conv("<kernel_shape = [1, 1]>"), [3, 6])
verdict()

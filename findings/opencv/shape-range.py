"""
title: The classic engine ignores start and end of Shape.
library: OpenCV
shows: 5.0.0
class: bug
condition: start or end is given; the new engine has them.
rule: ONNX Shape-15: a slice of the shape from start to end.
documented: data/quirks.tsv, Shape
tracker: none found; https://github.com/opencv/opencv/issues/26112 asks for it in the new engine, which has it
"""
import cv2
import numpy as np

from library import NEW, call, right, verdict, wrong


def axes(engine):
    """How many axes a tensor has that is made a matrix by one of its dimensions and -1."""
    made = call("""(float[2, 1, 4] x) => (float[a, b] y) { rest = Constant<value = int64[1] {-1}>()
        s = Shape<start = 0, end = 1>(x) c = Concat<axis = 0>(s, rest) y = Reshape(x, c) }""",
                np.zeros((2, 1, 4)), engine=engine, opset=15)
    return lambda: np.array(made()[0].ndim)


wrong("the classic engine", axes(cv2.dnn.ENGINE_CLASSIC), 2, seen=4)
right("the new engine", axes(NEW), 2)
verdict()

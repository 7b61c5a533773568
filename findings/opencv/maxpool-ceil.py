"""
title: MaxPool with ceil_mode counts a window that begins behind the input.
library: OpenCV
shows: 5.0.0
class: bug
condition: ceil_mode = 1, and a last window that would begin in the padding at the end.
rule: ONNX MaxPool-22 and its shape inference: windows that would begin in the padding at the end are left out.
documented: data/quirks.tsv, MaxPool
tracker: none found; https://github.com/opencv/opencv/issues/17966 is about a ceil_mode that was ignored
"""
from library import array, call, right, verdict, wrong

def pool(strides):
    return call("""(float[1,1,2,2] x) => (float[1,1,a,b] y)
        { y = MaxPool<kernel_shape = [1,1], strides = [%d,%d], ceil_mode = 1>(x) }""" % (strides, strides),
                [1, 2, 3, 4], opset=22)


wrong("strides 2", pool(2), array([1, 1, 1, 1], [1]))
right("strides 1", pool(1), array([1, 1, 2, 2], [1, 2, 3, 4]))
verdict()

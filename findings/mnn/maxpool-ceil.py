"""
title: MaxPool with ceil_mode counts a window that begins behind the input.
library: MNN
shows: 3.6.1
class: bug
condition: ceil_mode = 1, and the last window would begin behind the input and its padding.
rule: ONNX MaxPool-22: such a window is left out.
documented: data/quirks.tsv, MaxPool
tracker: none found
"""
from library import array, call, right, verdict, wrong

def pool(n, shape):
    return call("""(float[1,1,%d,%d] x) => (float[1,1,%d,%d] y)
        { y = MaxPool<kernel_shape = [1,1], strides = [2,2], ceil_mode = 1>(x) }""" % (n, n, shape, shape),
                range(n * n),
                opset=22, ir=10, check=False)


wrong("2 x 2", pool(2, 1), array([1, 1, 1, 1], [0]))
right("3 x 3", pool(3, 2), array([1, 1, 2, 2], [0, 2, 6, 8]))
verdict()

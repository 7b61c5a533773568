"""
title: Zeros that Pad puts before MaxPool become the pool's own padding, which is below all numbers.
library: onnxoptimizer
shows: 0.4.2
class: bug
condition: the largest number of a window at the border is negative; pass fuse_pad_into_pool.
rule: ONNX MaxPool: padding takes no part; Pad without a value puts zeros, which do.
documented: data/quirks.tsv, MaxPool
tracker: https://github.com/onnx/optimizer/issues/269
"""
from library import call, right, verdict, wrong

TEXT = ("(float[1, 1, 2, 2] x) => (float[1, 1, 3, 3] y) { p = Constant<value = int64[8] {0, 0, 1, 1, 0, 0, 1, 1}>() "
        "t = Pad(x, p) y = MaxPool<kernel_shape = [2, 2]>(t) }")
ALL = [[[[-1, -1], [-1, -1]]]]
RIGHT = [[[[0, 0, 0], [0, -1, 0], [0, 0, 0]]]]
SEEN = [[[[-1, -1, -1], [-1, -1, -1], [-1, -1, -1]]]]

wrong("negative numbers", call(TEXT, ALL, opset=13, passes=["fuse_pad_into_pool"]), RIGHT, seen=SEEN)
wrong("with the passes that it has by default", call(TEXT, ALL, opset=13), RIGHT, seen=SEEN)
right("positive numbers", call(TEXT, [[[[1, 1], [1, 1]]]], opset=13), [[[[1, 1, 1], [1, 1, 1], [1, 1, 1]]]])
verdict()

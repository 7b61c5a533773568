"""
title: Before opset 11 the value of Pad is dropped when it becomes the padding of the Conv or AveragePool behind it.
library: onnxoptimizer
shows: 0.4.2
class: bug
condition: opset 10 and before, where value is an attribute of Pad, and it is not 0; passes fuse_pad_into_conv and
    fuse_pad_into_pool.
rule: ONNX Pad-2: value is what the new elements are; the padding of Conv is 0, and AveragePool leaves it out.
documented: docs/campaign.md, Rewriters and engines
tracker: none found; https://github.com/onnx/optimizer/issues/269 is about zeros before MaxPool
"""
from library import call, right, verdict, wrong

CONV = ("(float[1, 1, 1, 1] x, float[1, 1, 1, 1] w) => (float[1, 1, 1, 2] y) "
        "{ t = Pad<pads = [0, 0, 0, 0, 0, 0, 0, 1], value = %s>(x) y = Conv(t, w) }")
POOL = ("(float[1, 1, 1, 1] x) => (float[1, 1, 1, 2] y) "
        "{ t = Pad<pads = [0, 0, 0, 0, 0, 0, 0, 1], value = 1.0>(x) y = AveragePool<kernel_shape = [1, 1]>(t) }")
X, W = [[[[5]]]], [[[[2]]]]

wrong("before Conv", call(CONV % "1.0", X, W, opset=10), [10, 2], seen=[10, 0])
wrong("before Conv, the pass alone", call(CONV % "1.0", X, W, opset=10, passes=["fuse_pad_into_conv"]), [10, 2],
      seen=[10, 0])
wrong("before AveragePool", call(POOL, X, opset=10), [5, 1], seen=[5, 0])
right("a value of 0", call(CONV % "0.0", X, W, opset=10), [10, 0])
verdict()

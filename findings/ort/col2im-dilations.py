"""
title: Col2Im over three axes with dilations puts columns into wrong places.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: bug
condition: Three spatial axes, a dilation above 1 along the second or third of them, and a block longer than 1 along
    an axis
    before it.  Two axes, and a dilation along the first alone, are right.
rule: ONNX Col2Im-18, attribute dilations; the inverse of im2col.
documented: data/quirks.tsv, Col2Im
tracker: none found; https://github.com/microsoft/onnxruntime/issues/18156 is about pads and strides
"""
import numpy as np

from library import model, right, run, verdict, wrong


def columns(image, block, dilations):
    """The call, and each column added where its place in the block, times the dilation, says."""
    outs = [n - d * (b - 1) for n, b, d in zip(image, block, dilations)]
    x = np.arange(1, np.prod(block) * np.prod(outs) + 1, dtype=np.float32).reshape(1, np.prod(block), np.prod(outs))
    want = np.zeros(image, np.float32)
    for i, place in enumerate(np.ndindex(*block)):
        for j, start in enumerate(np.ndindex(*outs)):
            want[tuple(s + p * d for s, p, d in zip(start, place, dilations))] += x[0, i, j]
    text = [",".join(map(str, v)) for v in (image, block)]
    m = model("(float%s x) => (float[1,1,%s] y) <int64[%d] i = {%s}, int64[%d] b = {%s}> "
              "{ y = Col2Im<dilations = %s>(x, i, b) }"
              % (list(x.shape), text[0], len(image), text[0], len(block), text[1], list(dilations)), opset=18)
    return (lambda: run(m, x)), want.ravel().tolist()


wrong("a block of [1,2,2], dilations [1,2,2]", *columns((1, 3, 3), (1, 2, 2), (1, 2, 2)),
      seen=[1, 0, 2, 0, 0, 0, 4, 0, 0])
wrong("a block of [2,2,2], dilations [1,1,2]", *columns((2, 2, 3), (2, 2, 2), (1, 1, 2)))
right("a block of [2,2,2], dilations [2,1,1]", *columns((3, 2, 2), (2, 2, 2), (2, 1, 1)))
right("a block of [1,1,2], dilations [1,1,2]", *columns((1, 1, 3), (1, 1, 2), (1, 1, 2)))
right("two axes, dilations [2,2]", *columns((3, 3), (2, 2), (2, 2)))
verdict()

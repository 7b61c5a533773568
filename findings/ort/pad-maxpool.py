"""
title: Pad with zeros in front of MaxPool loses its zeros, which must win over negative numbers, or the model is
    refused.
library: onnxruntime
shows: 1.31.1
class: bug
condition: Pad with mode constant and value 0, optimized as by default: the padding becomes that of MaxPool.  Refused
    where
    it is as wide as the window.  With another value it is right.
rule: ONNX Pad-13, "constant": the padded elements are part of MaxPool's input.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/onnxsim/onnxsim/issues/290 is about the same fusion of onnxoptimizer
"""
from library import NONE, Refused, model, right, run, verdict, wrong

x = [-1, -2, -3, -4]


def pooled(pad, window, value=0, **options):
    m = model("""(float[1,1,4] x) => (float[1,1,%d] y) <int64[6] pads = {0, 0, %d, 0, 0, %d}, float value = {%d}>
        { p = Pad(x, pads, value) y = MaxPool<kernel_shape = [%d]>(p) }"""
              % (4 + 2 * pad - window + 1, pad, pad, value, window))
    return lambda: run(m, x, **options)


# the largest of 0 -1, -1 -2, -2 -3, -3 -4, -4 0
wrong("one 0 at each end, a window of 2", pooled(1, 2), [0, -1, -2, -3, 0], seen=[-1, -1, -2, -3, -4])
wrong("two at each end, a window of 2", pooled(2, 2), [0, 0, -1, -2, -3, 0, 0], seen=Refused("pool_attributes"))
right("one at each end, not optimized", pooled(1, 2, level=NONE), [0, -1, -2, -3, 0])
right("5 at each end", pooled(1, 2, value=5), [5, -1, -2, -3, 5])
verdict()

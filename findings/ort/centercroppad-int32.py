"""
title: CenterCropPad with a shape of int32 is refused.
library: onnxruntime
shows: 1.31.1
class: bug
condition: Any level of optimization.  ONNX Runtime has no kernel of it and takes the function that ONNX gives, which
    hands the shape to Max beside sizes of int64; with a shape of int64 it is right.
rule: ONNX CenterCropPad-18, type constraint Tind: tensor(int32), tensor(int64).
documented: docs/backends.md, Rewriters
tracker: none found
found: fuzz
"""
import numpy as np

from library import NONE, Refused, model, right, run, verdict, wrong


def cut(kind, **options):
    m = model("(float[1,4] x, %s[2] shape) => (float[1,2] y) { y = CenterCropPad(x, shape) }" % kind, opset=18)
    return lambda: run(m, np.arange(4).reshape(1, 4), [1, 2], **options)


wrong("int32", cut("int32"), [[1, 2]], seen=Refused("bound to different types"))
wrong("int32, not optimized", cut("int32", level=NONE), [[1, 2]], seen=Refused("bound to different types"))
right("int64", cut("int64"), [[1, 2]])
verdict()

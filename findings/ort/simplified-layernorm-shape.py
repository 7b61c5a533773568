"""
title: SimplifiedLayerNormalization over two axes: its second output is said to have the shape [2,1,4], and a model is
    refused for it; [2,1,1] is right.
library: onnxruntime
shows: 1.31.1
class: bug
condition: The operator that ONNX Runtime has in ai.onnx, with axis before the last, and the second output has a name:
    in the shape that is inferred for it the first of the axes alone is 1.  Refused where a tensor of that shape (made
    by Gather here) is put into its memory.  The last axis, and one output, are right.
rule: ONNX Runtime's own schema, output inv_std_var, and ONNX LayerNormalization-17, InvStdDev: 1 from axis on.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxruntime/issues/31980 is about its scale
"""
import numpy as np
import onnxruntime

from library import NONE, Refused, model, right, run, verdict, wrong

x = np.arange(1, 25, dtype=np.float32).reshape(2, 3, 4)


def normalization(axis, outputs, rest, result):
    scale = x.shape[axis:]
    return model("(float[2,3,4] x) => (%s) <float%s k = {%s}, int64[1] first = {0}> { %s = "
                 "SimplifiedLayerNormalization<axis = %d>(x, k) %s }"
                 % (result, list(scale), ", ".join(["1"] * int(np.prod(scale))), outputs, axis, rest), check=False)


def gathered(axis, outputs, **options):
    m = normalization(axis, outputs, "g = Gather<axis = 1>(t, first) h = Gather<axis = 1>(g, first) y = Neg(h)",
                      "float[2,1,4] y")
    return lambda: run(m, x, **options)


def formula(axis):
    over = tuple(range(axis, 3))
    return -(x / np.sqrt((x * x).mean(over, keepdims=True) + np.float32(1e-5)))[:, :1]


def declared(axis):
    m = normalization(axis, "t, r", "", "float[2,3,4] t, float[a,b,c] r")
    return lambda: onnxruntime.InferenceSession(m.SerializeToString()).get_outputs()[1].shape


wrong("axis 1, Gather behind it", gathered(1, "t, r"), formula(1), seen=Refused("Shape mismatch"))
wrong("axis 1, Gather behind it, not optimized", gathered(1, "t, r", level=NONE), formula(1),
      seen=Refused("Shape mismatch"))
wrong("axis 1, the shape", lambda: [declared(1)()], [2, 1, 1], seen=[2, 1, 4])
right("axis 1, one output", gathered(1, "t"), formula(1))
right("axis 2", gathered(2, "t, r"), formula(2))
right("axis 2, the shape", lambda: [declared(2)()], [2, 3, 1])
verdict()

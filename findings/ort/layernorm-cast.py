"""
title: A layer normalization written out behind a Cast is refused; it is a valid model.
library: onnxruntime
shows: 1.31.1
class: bug
condition: The Cast is from int32, int64, bool or float64, and the model is optimized as by default: the fused node
    reads
    what is before the Cast.  From float16 it is right.
rule: ONNX Cast-13 and ReduceMean-13 to Add-13 allow these types; the same model runs without optimization.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxruntime/issues/13556 is about float16
"""
import numpy as np

from library import NONE, Refused, model, right, run, verdict, wrong

x = np.array([[1, 0, 1, 1], [0, 1, 0, 0]], np.float32)
d = x - x.mean(-1, keepdims=True)
formula = d / np.sqrt((d ** 2).mean(-1, keepdims=True) + np.float32(1e-5))


def normalized(kind, **options):
    m = model("""(%s[2,4] i) => (float[2,4] y)
        <float p = {2}, float e = {0.00001}, float[4] scale = {1, 1, 1, 1}, float[4] bias = {0, 0, 0, 0}>
        { x = Cast<to = 1>(i) mean = ReduceMean<axes = [-1]>(x) d = Sub(x, mean) q = Pow(d, p)
          v = ReduceMean<axes = [-1]>(q) w = Add(v, e) s = Sqrt(w) n = Div(d, s)
          k = Mul(n, scale) y = Add(k, bias) }""" % kind)
    return lambda: run(m, x, **options)


for kind in ("int32", "int64", "bool", "double"):
    wrong("Cast from " + kind, normalized(kind), formula, seen=Refused("LayerNormalization"))
right("Cast from int32, not optimized", normalized("int32", level=NONE), formula)
right("Cast from float16", normalized("float16"), formula)
verdict()

"""
title: MeanVarianceNormalization of equal numbers is NaN; by ONNX's function it is 0.
library: onnxruntime
shows: 1.31.1
class: difference
condition: All numbers along the axes are the same: 0, 1 and 3 for example.  ONNX's text divides by the standard
    deviation alone, which is 0 / 0; the function that defines the operator adds 1e-9 to it.
rule: ONNX MeanVarianceNormalization-13, its function: X - mean is divided by the standard deviation and 1e-9.
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/microsoft/onnxruntime/issues/10228 (closed: stale);
    https://github.com/onnx/onnx/issues/3947 (open)
found: fuzz
"""
from library import model, right, run, verdict, wrong

m = model("(float[1,1,1,2] x) => (float[1,1,1,2] y) { y = MeanVarianceNormalization<axes = [0, 2, 3]>(x) }")
nan = float("nan")

wrong("0 and 0", lambda: run(m, [0, 0]), [0, 0], seen=[nan, nan])
wrong("3 and 3", lambda: run(m, [3, 3]), [0, 0], seen=[nan, nan])
right("1 and 3", lambda: run(m, [1, 3]), [-1, 1])
verdict()

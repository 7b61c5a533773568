"""
title: ReduceLogSumExp of infinity and NaN is infinity, of NaN and infinity NaN; NaN is right for both.
library: onnxruntime
shows: 1.31.1
class: bug
condition: All axes are reduced, an infinity is among the numbers, and NaN is not the first of them.  Along one axis of
    two it is NaN in either order, and so it is without an infinity.
rule: ONNX ReduceLogSumExp-18: the logarithm of the sum of the exponentials; e^NaN is NaN, and so is each sum with it.
    No order of the elements may change it.
documented: docs/methods/fuzz.md, What it found
tracker: none found
found: fuzz
"""
from library import model, right, run, verdict, wrong

inf, nan = float("inf"), float("nan")
all_axes = model("(float[2] x) => (float[1] y) { y = ReduceLogSumExp(x) }", opset=18)
one_axis = model("(float[2,2] x) => (float[1,2] y) <int64[1] axes = {0}> { y = ReduceLogSumExp(x, axes) }", opset=18)

wrong("infinity and NaN", lambda: run(all_axes, [inf, nan]), [nan], seen=[inf])
right("NaN and infinity", lambda: run(all_axes, [nan, inf]), [nan])
right("1 and NaN", lambda: run(all_axes, [1, nan]), [nan])
right("infinity and NaN, along one axis of two", lambda: run(one_axis, [[inf, inf], [nan, nan]]), [nan, nan])
verdict()

"""
title: Slice of an axis that Pad makes shorter than nothing kills the process (SIGABRT) as the model is loaded.
library: onnxruntime
shows: 1.31.1
class: bug
condition: pads are constants that cut off more than the axis has.  The size is then inferred as a negative number, in
    which the position of Slice is clamped; without the Slice the model is refused.
rule: ONNX Pad-18: a negative pad removes elements, of which there are none left; a model that is not valid is refused.
documented: docs/campaign.md, Invalid models for rewriters and compilers
tracker: none found
found: fuzz
"""
import numpy as np

from library import Died, Refused, model, right, run, verdict, wrong


def cut(pad, step, more="y = Slice(t, start, end, axis, step)"):
    m = model("""(float[1,4] x) => (float[a,b] y)
        <int64[4] pads = {0, 0, 0, %d}, int64[1] start = {-1}, int64[1] end = {%d}, int64[1] axis = {1},
         int64[1] step = {%d}> { t = Pad(x, pads) %s }""" % (pad, -99 if step < 0 else 99, step, more),
              opset=18, check=False)
    return lambda: run(m, np.arange(4).reshape(1, 4))


wrong("step -1", cut(-1000, -1), Refused(), seen=Died("SIGABRT"))
wrong("step 1", cut(-1000, 1), Refused(), seen=Died("SIGABRT"))
right("no Slice", cut(-1000, 1, "y = Neg(t)"), Refused())
right("two elements left", cut(-2, -1), [[1, 0]])
verdict()

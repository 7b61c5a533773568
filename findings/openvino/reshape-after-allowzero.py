"""
title: A Reshape kills the process (SIGSEGV) after a model with allowzero was run by the same Core.
library: openvino
shows: 2025.2.0, 2026.1.0
since: 2025.2.0 (2024.6.0 refuses the first model)
until: 2026.1.0 (2026.4.1 is right)
class: bug
condition: A model with allowzero = 1 and a 0 in the shape, which is an input, was compiled and run before by the same
    Core,
    through an infer request.  Alone, and after another Reshape, the second model is right.
rule: ONNX Reshape-14; models do not depend on those that ran before.
documented: data/quirks.tsv, Reshape
tracker: none found
"""
import gc

import numpy as np

from library import CPU, Died, feeds, model, right, verdict, wrong

empty = model("(float[0,3,4] x, int64[3] s) => (float[a,b,c] y) { y = Reshape<allowzero = 1>(x, s) }", opset=14)
plain = model("(float[2,3,4] x, int64[4] s) => (float[2,3,2,2] y) { y = Reshape(x, s) }", opset=14)


def request(core, m, *values):
    import openvino

    compiled = core.compile_model(core.read_model(m.SerializeToString()), "CPU", CPU)
    r = compiled.create_infer_request()
    for name, value in feeds(m, values).items():
        r.set_tensor(name, openvino.Tensor(value))
    r.infer()
    return np.array(r.get_output_tensor(0).data)


def after(*first):
    import openvino

    core = openvino.Core()
    if first:
        request(core, *first)
        gc.collect()
    return request(core, plain, range(24), [2, 3, 2, 2])


wrong("after a model with allowzero", lambda: after(empty, np.zeros((0, 3, 4)), [3, 4, 0]), list(range(24)),
      seen=Died("SIGSEGV"))
right("alone", after, list(range(24)))
right("after itself", lambda: after(plain, range(24), [2, 3, 2, 2]), list(range(24)))
verdict()

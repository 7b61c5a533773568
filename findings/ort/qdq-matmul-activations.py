"""
title: MatMul with weights behind DequantizeLinear rounds its other input, of float32, to 8 bits: 1.003 comes out as 1.
library: onnxruntime
shows: 1.31.1
class: limit
condition: The weights are a constant of int8 with one scale, optimized as by default, which makes MatMulNBits of it;
    right with session.qdq_matmulnbits_accuracy_level 1, whose default is 4.
rule: ONNX MatMul-13; ONNX does not say how far an optimization may round.
documented: docs/methods/fuzz.md, Measured
tracker: none found for the default; https://github.com/microsoft/onnxruntime/issues/29849 is about what
    accuracy level 4 does to language models
"""
import numpy as np

from library import model, right, verdict, wrong

import onnxruntime

M = model("(float[1, 32] x) => (float[1, 1] y) <float s = {1}, int8 z = {0}, int8[32, 1] w = {%s}> "
          "{ d = DequantizeLinear(w, s, z) y = MatMul(x, d) }" % ",".join(["1"] + ["0"] * 31), opset=17)
X = np.array([[1.003] + [127] * 31], np.float32)  # the largest sets the step of 8 bits


def product(level):
    def call():
        options = onnxruntime.SessionOptions()
        if level:
            options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", level)
        session = onnxruntime.InferenceSession(M.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return session.run(None, {"x": X})
    return call


wrong("as by default", product(None), [[1.003]], seen=[[1]])
right("accuracy level 1", product("1"), [[1.003]])
verdict()

"""
title: MatMul by a constant behind DequantizeLinear rounds its other input to 8 bits: 1 * 35 - 2 * 7 comes out as 21.28.
library: onnxruntime
shows: 1.31.1
class: limit
condition: A constant of 8 bits, optimized as by default: the fused MatMulNBits computes with accuracy level 4, the
    default of the option session.qdq_matmulnbits_accuracy_level.  With level 1, without optimization, and where steps
    of 1/127 of the largest number hold all numbers, it is right.  Gemm is the same.
rule: ONNX MatMul-13 and DequantizeLinear-13; ONNX does not say how far an optimization may round.
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/microsoft/onnxruntime/issues/29849 (level 4 of MatMulNBits; open)
"""
import numpy as np
import onnxruntime

from library import NONE, model, right, run, verdict, wrong

TEXT = """(float[1,2] x) => (float[1,1] y) <float s = {1}, int8[2,1] w = {35, -7}>
    { d = DequantizeLinear(w, s) y = %s(x, d) }"""


def product(x, op="MatMul", **options):
    m = model(TEXT % op)
    return lambda: run(m, x, **options)


def at_level(level):
    def call():
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", level)
        session = onnxruntime.InferenceSession(model(TEXT % "MatMul").SerializeToString(), options)
        return session.run(None, {"x": np.array([[1, 2]], np.float32)})
    return call


# 1 becomes 64 steps of 2 / 127, or 1.00787.
wrong("1 and 2", product([1, 2]), [21], seen=[21.2756])
wrong("1 and 2, Gemm", product([1, 2], "Gemm"), [21], seen=[21.2756])
right("1 and 2, level 1", at_level("1"), [21])
right("1 and 2, not optimized", product([1, 2], level=NONE), [21])
right("127 and 2", product([127, 2]), [4431])
verdict()

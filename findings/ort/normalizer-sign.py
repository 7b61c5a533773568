"""
title: Whether the numbers that Normalizer with norm L2 returns have signs hangs on value_info, which declares types.
library: onnxruntime
shows: 1.31.1
class: bug
condition: The shape of Normalizer's output is declared in value_info, and its input is made by another node (Neg here)
    and read by nobody else: its output then lies in the memory of its input, and has no signs.  In all other cases it
    has the signs of the input.  L1 is the same with and without.
rule: ONNX, ModelProto: value_info is optional and tells the types of values; no result may hang on it.  ai.onnx.ml
    Normalizer-1 wrote L2 as sqrt(X^2 / sum(X^2)), which has no signs, and was corrected to X / sqrt(sum(X^2)), which
    has them (https://github.com/onnx/onnx/pull/8451); the library gives signs in all other cases.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
import numpy as np

from library import model, right, run, verdict, wrong

x = np.array([[1, -2, 2], [3, 0, -4]], np.float32)


def normalized(norm, declared):
    m = model("""(float[2,3] x) => (float[2,3] y) %s
        { a = Neg(x) b = ai.onnx.ml.Normalizer<norm = "%s">(a) y = Neg(b) }"""
              % ("<float[2,3] b>" if declared else "", norm), ml=2)
    return lambda: run(m, x)


signed = x / np.sqrt((x * x).sum(1, keepdims=True))
right("L2, not declared", normalized("L2", False), signed)
wrong("L2, declared: another result", normalized("L2", True), signed, seen=-np.abs(signed))
right("L1, declared", normalized("L1", True), x / np.abs(x).sum(1, keepdims=True))
verdict()

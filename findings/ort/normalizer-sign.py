"""
title: Normalizer with norm L2 returns absolute values; the signs of its input are right.
library: onnxruntime
shows: 1.31.1
class: bug
condition: The shape of Normalizer's output is declared in value_info, and its input is made by another node (Neg here)
    and read by nobody else: its output then lies in the memory of its input.  Without value_info, and with L1, it is
    right.
rule: ONNX ai.onnx.ml Normalizer-1: L2 divides by the square root of the sum of squares.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
"""
import numpy as np

from library import model, right, run, verdict, wrong

x = np.array([[1, -2, 2], [3, 0, -4]], np.float32)


def normalized(norm, declared):
    m = model("""(float[2,3] x) => (float[2,3] y) %s
        { a = Neg(x) b = ai.onnx.ml.Normalizer<norm = "%s">(a) y = Neg(b) }"""
              % ("<float[2,3] b>" if declared else "", norm), ml=2)
    return lambda: run(m, x)


exact = x / np.sqrt((x * x).sum(1, keepdims=True))
wrong("L2, declared", normalized("L2", True), exact, seen=-np.abs(exact))
right("L2, not declared", normalized("L2", False), exact)
right("L1, declared", normalized("L1", True), x / np.abs(x).sum(1, keepdims=True))
verdict()

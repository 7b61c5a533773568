"""
title: Normalizer with norm L2 squares its numbers in float32: of 3e19 and 3e19 it makes NaN, of 1e-27 alone 1e-27;
    0.707107 and 1 are right.
library: onnxruntime
shows: 1.31.1
class: precision
condition: Numbers whose squares overflow float32 (1.9e19 and more) or vanish in it (less than 2e-23).  1e15 and 1e-15
    are right.
rule: ONNX ai.onnx.ml Normalizer-1: each number is divided by the norm.  It sets no accuracy.
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/microsoft/onnxruntime/pull/32573 (open)
"""
import math

from library import model, right, run, verdict, wrong


def normalized(*numbers):
    m = model('(float[1,%d] x) => (float[1,%d] y) { y = ai.onnx.ml.Normalizer<norm = "L2">(x) }'
              % (len(numbers), len(numbers)), ml=1)
    return lambda: run(m, numbers)


half = math.sqrt(0.5)
wrong("3e19 and 3e19", normalized(3e19, 3e19), [half, half], seen=[math.nan, math.nan])
wrong("1e-27", normalized(1e-27), [1], seen=[1e-27])
wrong("1 and 1e-30", normalized(1, 1e-30), [1, 1e-30], seen=[1, 0], abs=0)
right("1e15 and 1e15", normalized(1e15, 1e15), [half, half])
right("1e-15 and 1e-15", normalized(1e-15, 1e-15), [half, half])
verdict()

"""
title: GRU ignores clip.
library: OpenCV
shows: 5.0.0
class: bug
condition: a gate's input is beyond the attribute clip.
rule: ONNX GRU: clip bounds the input of the activations to [-clip, clip].
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
import math

from library import call, right, verdict, wrong

TEXT = ("(float[1, 1, 1] x) => (float[1, 1, 1, 1] y, float[1, 1, 1] h) <float[1, 3, 1] w = {1, 1, 1}, "
        "float[1, 3, 1] r = {0, 0, 0}> { y, h = GRU<hidden_size = 1%s>(x, w, r) }")


def step(a):
    """(1 - z) * n, with z = sigmoid(a) and n = tanh(a)."""
    return (1 - 1 / (1 + math.exp(-a))) * math.tanh(a)


wrong("clip 1, input 2", call(TEXT % ", clip = 1.0", [2], opset=14), step(1), seen=step(2))
right("no clip", call(TEXT % "", [2], opset=14), step(2))
verdict()

"""
title: LSTM ignores input_forget and clip.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine; input_forget = 1, or a clip below what goes into an activation.  Without them it is right.
rule: ONNX LSTM-14, attribute input_forget: "Couple the input and forget gates if 1"; attribute clip: it bounds what
    goes into the activations.
documented: docs/campaign.md, All methods on all libraries
tracker: none found
found: search
"""
import math

from library import array, call, right, verdict, wrong


def gate(x):
    return 1 / (1 + math.exp(-x))


def states(clip=9, coupled=False):
    """Two steps whose input is 1: the states, the last one again."""
    a, c, found = min(1, clip), 0, []
    for _ in range(2):
        c = (1 - gate(a) if coupled else gate(a)) * c + gate(a) * math.tanh(a)
        found.append(gate(a) * math.tanh(min(c, clip)))
    return array([2, 1, 1, 1], found), array([1, 1, 1], found[1:])


def lstm(more):
    return call("""(float[2,1,1] x) => (float[2,1,1,1] y, float[1,1,1] h)
        <float[1,4,1] w = {1, 1, 1, 1}, float[1,4,1] r = {0, 0, 0, 0}> { y, h = LSTM<hidden_size = 1%s>(x, w, r) }"""
                % more, [1, 1], opset=14)


wrong("input_forget 1", lstm(", input_forget = 1"), states(coupled=True), seen=states())
wrong("clip 0.7", lstm(", clip = 0.7"), states(0.7), seen=states())
right("neither", lstm(""), states())
right("clip 2", lstm(", clip = 2.0"), states())
verdict()

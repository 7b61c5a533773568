"""
title: LSTM ignores sequence_lens.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine, a bias and both initial states are given; without them it refuses sequence_lens as not
    implemented.
rule: ONNX LSTM-14, input sequence_lens: the lengths of the sequences; Y_h is the state at the end of each, and Y is 0
    behind it.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import call, right, verdict, wrong

def lstm(lens):
    return call("""(float[3,2,1] x) => (float[3,1,2,1] y, float[1,2,1] h) <float[1,4,1] w = {1, 1, 1, 1},
        float[1,4,1] r = {0, 0, 0, 0}, float[1,8] b = {0, 0, 0, 0, 0, 0, 0, 0}, int32[2] n = {%s},
        float[1,2,1] s = {0, 0}> { y, h = LSTM<hidden_size = 1>(x, w, r, b, n, s, s) }""" % lens, [1] * 6, opset=14)


A, B, C = 0.369606376, 0.545346081, 0.622452557
full = ([A, A, B, B, C, C], [C, C])
wrong("3 and 1", lstm("3, 1"), ([A, A, B, 0, C, 0], [C, A]), seen=full)
right("3 and 3", lstm("3, 3"), full)
verdict()

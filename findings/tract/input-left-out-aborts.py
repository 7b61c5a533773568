"""
title: Transpose, Flatten and LogSoftmax whose only input is left out abort the process; they must be refused.
library: tract
shows: 0.23.9
class: bug
condition: The name of the input is empty, or there is none.  Relu, Softmax, Reshape and MatMul without a required input
    are refused.
rule: ONNX IR, "Optional Inputs and Outputs": an empty name stands for an input that is left out, which only optional
    ones may be; the input of Transpose-13, Flatten-13 and LogSoftmax-13 is not optional.
documented: docs/campaign.md, The hunt with the other methods
tracker: none found
"""
from library import Died, Refused, right, unchecked, verdict, wrong


def node(text):
    return unchecked("(float[2,3] x) => (float y) { y = %s }" % text, [1, 2, 3, 4, 5, 6])


aborts = Died("SIGABRT")
wrong("Transpose of an empty name", node('Transpose("")'), Refused(), seen=aborts)
wrong("Transpose of nothing", node("Transpose()"), Refused(), seen=aborts)
wrong("Flatten of an empty name", node('Flatten("")'), Refused(), seen=aborts)
wrong("LogSoftmax of an empty name", node('LogSoftmax("")'), Refused(), seen=aborts)
right("Transpose", node("Transpose(x)"), [1, 4, 2, 5, 3, 6])
right("Softmax of an empty name", node('Softmax("")'), Refused())
right("Relu of an empty name", node('Relu("")'), Refused())
right("MatMul of one input", node('MatMul(x, "")'), Refused())
verdict()

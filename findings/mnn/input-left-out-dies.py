"""
title: A node whose required input is left out kills the process (SIGSEGV); it must be refused.
library: MNN
shows: 3.6.1
class: bug
condition: The name of the input is empty: of Neg, Sign, LeakyRelu, HardSigmoid, ThresholdedRelu, Shrink and Pad the
    first one, of Expand the shape, of InstanceNormalization the scale.
rule: ONNX IR, "Optional Inputs and Outputs": an empty name stands for an input that is left out, which only optional
    ones may be; these are not optional.
documented: docs/campaign.md, All methods on all libraries
tracker: none found
found: fuzz
"""
from library import Died, Refused, call, right, verdict, wrong


def node(text, opset=18):
    return call("""(float[1,1,1,2] x) => (float[1,1,1,2] y)
        <float[1] b = {0}, int64[8] p = {0, 0, 0, 0, 0, 0, 0, 1}> { %s }""" % text, [3, -4], check=False, opset=opset)


for op in ("Neg", "Sign", "LeakyRelu", "HardSigmoid", "ThresholdedRelu", "Shrink"):
    wrong(op, node('y = %s("")' % op), Refused(), seen=Died("SIGSEGV"))
wrong("Expand", node('y = Expand(x, "")'), Refused(), seen=Died("SIGSEGV"))
wrong("InstanceNormalization", node('y = InstanceNormalization(x, "", b)'), Refused(), seen=Died("SIGSEGV"))
wrong("Pad", node('y = Pad("", p)'), Refused(), seen=Died("SIGSEGV"))
right("Neg of x", node("y = Neg(x)"), [-3, 4])
right("LeakyRelu of x", node("y = LeakyRelu<alpha = 0.5>(x)"), [3, -2])
verdict()

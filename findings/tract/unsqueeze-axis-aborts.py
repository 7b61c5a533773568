"""
title: Unsqueeze and Squeeze with an axis that is not there abort the process; they must be refused.
library: tract
shows: 0.23.9
class: bug
condition: An axis beyond the rank, of the output for Unsqueeze, also below it; of opset 13, where axes are an input,
    and of opset 11.  Axes that are there are right; an axis that comes twice is refused.
rule: ONNX Unsqueeze-13: axes "in the range [-output_rank, output_rank - 1]"; Squeeze-13: "[-r, r-1]".
documented: docs/campaign.md, The hunt with the other methods
tracker: none found
"""
from library import Died, Refused, right, unchecked, verdict, wrong


def node(op, axes, dims="2,3"):
    text = "(float[%s] x) => (float y) <int64[%d] a = {%s}> { y = %s(x, a) }"
    return unchecked(text % (dims, len(axes), ", ".join(map(str, axes)), op), [1, 2, 3, 4, 5, 6], opset=13)


def older(op):
    return unchecked("(float[2,3] x) => (float y) { y = %s<axes = [5]>(x) }" % op, [1, 2, 3, 4, 5, 6], opset=11)


aborts = Died("SIGABRT")
wrong("Unsqueeze, axis 3", node("Unsqueeze", [3]), Refused(), seen=aborts)
wrong("Unsqueeze, axis -4", node("Unsqueeze", [-4]), Refused(), seen=aborts)
wrong("Unsqueeze of opset 11, axis 5", older("Unsqueeze"), Refused(), seen=aborts)
wrong("Squeeze, axis 5", node("Squeeze", [5]), Refused(), seen=aborts)
wrong("Squeeze, axis -5", node("Squeeze", [-5]), Refused(), seen=aborts)
wrong("Squeeze of opset 11, axis 5", older("Squeeze"), Refused(), seen=aborts)
right("Unsqueeze, axis 2", node("Unsqueeze", [2]), [1, 2, 3, 4, 5, 6])
right("Unsqueeze, axis -3", node("Unsqueeze", [-3]), [1, 2, 3, 4, 5, 6])
right("Unsqueeze, axis 0 twice", node("Unsqueeze", [0, 0]), Refused())
right("Squeeze, axis 0", node("Squeeze", [0], "1,6"), [1, 2, 3, 4, 5, 6])
verdict()

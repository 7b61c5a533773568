"""
title: com.microsoft QLinearLeakyRelu and QLinearSigmoid without Y_zero_point kill the process (SIGABRT); it is
    optional.
library: onnxruntime
shows: 1.31.1
class: bug
condition: Input 4 (Y_zero_point) is left out at the end of the list.  With a zero point of 0 both are right.
rule: ONNX Runtime's ContribOperators.md, QLinearLeakyRelu and QLinearSigmoid: Y_zero_point (optional), 0 when it is not
    given.
documented: docs/campaign.md, The hunt with the other methods
tracker: none found
"""
from library import Died, model, right, run, verdict, wrong


def activation(op, *zero_point):
    more, name = (", uint8 o", ", o") if zero_point else ("", "")
    m = model("(uint8[2] x, float s, uint8 z, float t%s) => (uint8[2] y) { y = com.microsoft.%s(x, s, z, t%s) }"
              % (more, op, name), check=False)
    return lambda: run(m, [3, 1], 0.5, 1, 0.25, *zero_point)


# x stands for 1 and 0, y counts quarters
dies = Died("SIGABRT")
wrong("QLinearLeakyRelu", activation("QLinearLeakyRelu"), [4, 0], seen=dies)
wrong("QLinearSigmoid", activation("QLinearSigmoid"), [3, 2], seen=dies)
right("QLinearLeakyRelu, zero point 0", activation("QLinearLeakyRelu", 0), [4, 0])
right("QLinearSigmoid, zero point 0", activation("QLinearSigmoid", 0), [3, 2])
verdict()

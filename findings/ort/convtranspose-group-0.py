"""
title: ConvTranspose with group 0 and constant weights kills the process (SIGFPE); it must be refused.
library: onnxruntime
shows: 1.31.1
class: bug
condition: group = 0, and the weights are constant.  With weights that are fed the model is refused, and so is a group
    of -1.
rule: ONNX ConvTranspose-11, attribute group: the number of groups that channels are divided into; 0 divides nothing.
documented: docs/campaign.md, All methods on all libraries
tracker: none found
found: fuzz
"""
from library import Died, Refused, model, right, run, verdict, wrong


def transposed(group, fed=False):
    w = "(float[1,1,1,1] x%s) => (float[1,1,1,1] y) %s { y = ConvTranspose<group = %d>(x, w) }"
    m = model(w % (", float[1,1,1,1] w" if fed else "", "" if fed else "<float[1,1,1,1] w = {2}>", group), check=False)
    return lambda: run(m, [3], *([[2]] if fed else []))


wrong("group 0, constant weights", transposed(0), Refused(), seen=Died("SIGFPE"))
right("group 0, weights fed", transposed(0, fed=True), Refused("ConvTranspose"))
right("group 1, constant weights", transposed(1), [6])
verdict()

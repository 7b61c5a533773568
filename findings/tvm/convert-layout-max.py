"""
title: ConvertLayout of a module with Max, Min or Mean, which become one reduction over a stack, kills the process
    (SIGFPE) for scalars and fails on vectors.
library: tvm
shows: 0.27.0.post1
class: bug
condition: relax.transform.ConvertLayout, whatever layout is asked for; the module has no convolution.  Without the pass
    the same module is right, and with it one of Relu alone.
rule: relax.transform.ConvertLayout: "Automatic layout conversion pass"; a module without the operators that are named
    is to stay as it is.
documented: docs/methods/equiv.md, Libraries without a list; data/quirks.tsv, Max
tracker: none found
found: equiv
"""
from library import Died, Refused, from_onnx, model, relax, right, verdict, wrong

LAYOUTS = {"relax.nn.conv2d": ["NHWC", "OHWI"]}


def passed(op, dims, passes=1):
    """How many functions the module has behind the pass."""
    module = from_onnx(model("(float%s x) => (float%s y) { y = %s(x) }" % (dims, dims, op)))
    return lambda: [len((relax.transform.ConvertLayout(LAYOUTS)(module) if passes else module).functions)]


wrong("Max of a scalar", passed("Max", ""), 1, seen=Died("SIGFPE"))
wrong("Mean of a scalar", passed("Mean", ""), 1, seen=Died("SIGFPE"))
wrong("Min of a vector", passed("Min", "[2]"), 1, seen=Refused("Invalid SLayout"))
right("Relu", passed("Relu", ""), 1)
right("without the pass", passed("Max", "", 0), 1)
verdict()

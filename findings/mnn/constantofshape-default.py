"""
title: ConstantOfShape without a value gives what lies in memory that nothing has written; it must give zeros.
library: MNN
shows: 3.6.1
class: bug
condition: There is no attribute value, and the shape is known when the model runs, not before.  All elements are one
    number, which is what its place in memory held before; memory that was never used is zero, and then the fault does
    not show.  So the script has the C library (glibc) fill all memory that it hands out.  With value = 0 it is right.
rule: ONNX ConstantOfShape-9 and later, attribute value: "If not specified, it defaults to a tensor of value 0 and
    datatype float32".
documented: data/quirks.tsv, ConstantOfShape
tracker: none found
"""
from library import filled_memory, model, right, run, verdict, wrong

SIZE = 4096


def added(value):
    """What ConstantOfShape makes of a tensor's shape, added to the tensor."""
    m = model("(float[%d] x) => (float[%d] y) { s = Shape(x) c = ConstantOfShape%s(s) y = Add(c, x) }"
              % (SIZE, SIZE, value), opset=21)

    def call():
        found = run(m, [1] * SIZE)[0]
        largest = float(abs(found - 1).max()) if (found == found).all() else float("inf")
        return [min(largest, 1)]
    return call


filled_memory()
wrong("no value", added(""), [0], seen=[1])
right("value 0", added("<value: tensor = float[1] {0}>"), [0])
verdict()

"""
title: ConstantOfShape without a value gives what lies in memory that nothing has written; it must give zeros.
library: MNN
shows: 3.6.1
class: bug
condition: There is no attribute value, and the shape is known when the model runs, not before.  In a fresh process the
    memory is zero as a rule, so that the fault does not show; a model that ran before changes that.  With value = 0 it
    is right.
rule: ONNX ConstantOfShape-9 and later, attribute value: "If not specified, it defaults to a tensor of value 0 and
    datatype float32".
documented: data/quirks.tsv, ConstantOfShape
tracker: none found
"""
from library import model, right, run, verdict, wrong

SIZE = 4096
USED = model("(float[%d] x) => (float[%d] y) { a = Exp(x) b = Mul(a, a) y = Exp(b) }" % (SIZE, SIZE), opset=21)


def added(value):
    """A tensor and what ConstantOfShape makes of its shape; models with large numbers run before."""
    m = model("(float[%d] x) => (float[%d] y) { s = Shape(x) c = ConstantOfShape%s(s) y = Add(c, x) }"
              % (SIZE, SIZE, value), opset=21)

    def call():
        largest = 0
        for _ in range(20):
            run(USED, [3] * SIZE)
            found = run(m, [1] * SIZE)[0]
            largest = max(largest, float(abs(found - 1).max()) if (found == found).all() else float("inf"))
        return [min(largest, 1)]
    return call


wrong("no value", added(""), [0])
right("value 0", added("<value: tensor = float[1] {0}>"), [0])
verdict()

"""
title: Softmax with an axis that is not there, and Conv and MaxPool with dilations of 0, are run; they must be refused.
library: tract
shows: 0.23.9
class: bug
condition: An axis of Softmax beyond the rank gives ones; dilations of 0 read one element again and again.
rule: ONNX Softmax-13: axis "in the range [-r, r-1]"; Conv-11 and MaxPool-12, attribute dilations.
documented: docs/methods/search.md, What it found
tracker: none found
"""
from library import Refused, model, right, run, verdict, wrong


def run_it(text, inputs="float[1,1,3] x", *values):
    m = model("(%s) => (float[1,1,3] y) { y = %s }" % (inputs, text), check=False)
    m.graph.output[0].type.tensor_type.ClearField("shape")
    return lambda: run(m, *(values or ([1, 2, 3],)))


wrong("Softmax, axis 100", run_it("Softmax<axis = 100>(x)"), Refused(), seen=[1, 1, 1])
wrong("Softmax, axis -100", run_it("Softmax<axis = -100>(x)"), Refused(), seen=[1, 1, 1])
wrong("MaxPool, dilations 0", run_it("MaxPool<kernel_shape = [2], dilations = [0]>(x)"), Refused(), seen=[1, 2, 3])
wrong("Conv, dilations 0", run_it("Conv<dilations = [0]>(x, w)", "float[1,1,3] x, float[1,1,2] w", [1, 2, 3], [1, 1]),
      Refused(), seen=[2, 4, 6])
right("Softmax, axis 1", run_it("Softmax<axis = 1>(x)"), [1, 1, 1])
right("MaxPool, dilations 1", run_it("MaxPool<kernel_shape = [2], dilations = [1]>(x)"), [2, 3])
verdict()

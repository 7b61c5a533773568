"""
title: Strides of 0, a kernel_shape of 0 and an axis of Flatten that is not there abort the process; they must be
    refused.
library: tract
shows: 0.23.9
class: bug
condition: Conv or MaxPool with strides 0, MaxPool with kernel_shape 0, Flatten with an axis beyond the rank.
rule: ONNX Conv-11, MaxPool-12, Flatten-13: axis "in the range [-r, r]".
documented: docs/methods/search.md, What it found
tracker: none found
"""
from library import Died, Refused, model, right, run, verdict, wrong


def run_it(text, inputs="float[1,1,3,3] x", *values):
    m = model("(%s) => (float[a,b,c,d] y) { y = %s }" % (inputs, text), check=False)
    m.graph.output[0].type.tensor_type.ClearField("shape")
    return lambda: run(m, *(values or (range(9),)))


weights = "float[1,1,3,3] x, float[1,1,2,2] w"
aborts = Died("SIGABRT")
wrong("Conv, strides 0", run_it("Conv<strides = [0, 0]>(x, w)", weights, range(9), [1] * 4), Refused(), seen=aborts)
wrong("MaxPool, strides 0", run_it("MaxPool<kernel_shape = [2, 2], strides = [0, 0]>(x)"), Refused(), seen=aborts)
wrong("MaxPool, kernel_shape 0", run_it("MaxPool<kernel_shape = [0, 0]>(x)"), Refused(), seen=aborts)
wrong("Flatten, axis 100", run_it("Flatten<axis = 100>(x)"), Refused(), seen=aborts)
wrong("Flatten, axis -100", run_it("Flatten<axis = -100>(x)"), Refused(), seen=aborts)
right("Conv, strides 1", run_it("Conv<strides = [1, 1]>(x, w)", weights, range(9), [1] * 4), [8, 12, 20, 24])
right("Flatten, axis 4", run_it("Flatten<axis = 4>(x)"), list(range(9)))
verdict()

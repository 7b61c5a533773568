"""
title: Negative indices of GatherND, and of ScatterND with a reduction, abort the process; of ScatterND without it
    they are
    refused.
library: tract
shows: 0.23.9
class: bug
condition: A negative index.
rule: ONNX GatherND-13 and ScatterND-16, input indices: -s to s-1, counted from the end.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import Died, Refused, model, right, run, verdict, wrong


def gather(batch, shape, result, indices):
    m = model("(float[2,3] x, int64%s i) => (float%s y) { y = GatherND<batch_dims = %d>(x, i) }" % (shape, result,
                                                                                                    batch))
    return lambda: run(m, range(6), indices)


def scatter(reduction, index):
    m = model("(float[3] x, int64[1,1] i, float[1] u) => (float[3] y) { y = ScatterND%s(x, i, u) }" % reduction,
              opset=16)
    return lambda: run(m, [1, 2, 3], [index], [9])


wrong("GatherND, batch_dims 1", gather(1, "[2,1]", "[2]", [-1, 0]), [2, 3], seen=Died("SIGABRT"))
wrong("GatherND, batch_dims 0", gather(0, "[1,2]", "[1]", [-1, -1]), [5], seen=Died("SIGABRT"))
wrong("ScatterND, add", scatter('<reduction = "add">', -1), [1, 2, 12], seen=Died("SIGABRT"))
wrong("ScatterND", scatter("", -1), [1, 2, 9], seen=Refused("ScatterNd"))
right("GatherND, batch_dims 1, 2", gather(1, "[2,1]", "[2]", [2, 0]), [2, 3])
right("ScatterND, add, 2", scatter('<reduction = "add">', 2), [1, 2, 12])
verdict()

"""
title: LayerNormalization gives a scalar for its second and third outputs, Mean and InvStdDev.
library: tvm
shows: 0.27.0.post1
class: bug
condition: the second or third output is asked for.
rule: ONNX LayerNormalization-17, outputs Mean and InvStdDev: of the input's shape with 1 from the axis on.
documented: data/quirks.tsv, LayerNormalization
tracker: none found
"""
from library import call, right, verdict, wrong

def norm(mean):
    text = ("(float[2, 2] x) => (float[2, 2] y%s) <float[2] scale = {1, 1}> "
            "{ y%s = LayerNormalization<axis = 1>(x, scale) }")
    graph = text % ((", float[2, 1] mean", ", mean") if mean else ("", ""))
    return call(graph, (1, 3, 5, 9), opset=17)


def mean_only():
    return [norm(True)()[1]]


wrong("the mean", mean_only, [2, 7])
right("the first output alone", norm(False), [-1, 1, -1, 1], rel=1e-4)
verdict()

"""
title: ReduceLogSumExp, ReduceLogSum and ReduceL1 of opsets 13 to 17 reduce all axes, whatever axes says.
library: openvino
shows: 2026.4.1
since: 2026.4.1 (2026.1.0 fails otherwise)
class: bug
condition: Opset 13 to 17, where axes is an attribute.  Opsets 11 and 18, ReduceL2 and ReduceMean are right.
rule: ONNX ReduceLogSumExp-13, attribute axes.
documented: docs/methods/equiv.md, What was measured
tracker: https://github.com/openvinotoolkit/openvino/issues/38238
"""
import math

from library import array, model, right, run, verdict, wrong


def reduced(op, opset):
    text = "<int64[1] axes = {1}> { y = %s(x, axes) }" if opset >= 18 else "{ y = %s<axes = [1]>(x) }"
    m = model("(float[2,2] x) => (float[2,1] y) " + text % op, opset=opset)
    return lambda: run(m, [1, 2, 3, 4])


log, e = math.log, math.e
rows = {"ReduceLogSumExp": [log(e + e ** 2), log(e ** 3 + e ** 4)], "ReduceLogSum": [log(3), log(7)],
        "ReduceL1": [3, 7]}
every = {"ReduceLogSumExp": log(e + e ** 2 + e ** 3 + e ** 4), "ReduceLogSum": log(10), "ReduceL1": 10}
for op in rows:
    for opset in (13, 17):
        wrong("%s, opset %d" % (op, opset), reduced(op, opset), array([2, 1], rows[op]), seen=array([1, 1], every[op]))
    for opset in (11, 18):
        right("%s, opset %d" % (op, opset), reduced(op, opset), array([2, 1], rows[op]))
right("ReduceL2, opset 13", reduced("ReduceL2", 13), array([2, 1], [math.sqrt(5), 5]))
verdict()

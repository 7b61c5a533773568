"""
title: QLinearAdd, QLinearMul and QLinearAveragePool of com.microsoft without a zero point of an input are refused; it
    is 0 then.
library: onnxruntime
shows: 1.31.1
class: bug
condition: The zero point is left out by an empty name, between other inputs.  That of the output, the last input, may
    be left out.
rule: ONNX Runtime's own docs/ContribOperators.md: A_zero_point (x_zero_point) is optional, default value is 0.
documented: data/quirks.tsv, QLinearAdd; data/quirks.tsv, QLinearMul; data/quirks.tsv, QLinearAveragePool
tracker: none found
"""
import onnx
from onnx import helper, numpy_helper

import numpy as np
from library import Refused, right, run, verdict, wrong


def node(op, inputs, **attributes):
    given = {"s": np.float32(1), "z": np.uint8(0)}
    x = helper.make_tensor_value_info("x", onnx.TensorProto.UINT8, [1, 1, 2])
    y = helper.make_tensor_value_info("y", onnx.TensorProto.UINT8, None)
    graph = helper.make_graph([helper.make_node(op, inputs, ["y"], domain="com.microsoft", **attributes)], "g", [x],
                              [y], [numpy_helper.from_array(np.asarray(v), k) for k, v in given.items()])
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)]
    m = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    return lambda: run(m, [3, 5])


REFUSED = Refused("Input data type does not match the expected data type")
wrong("QLinearAdd", node("QLinearAdd", ["x", "s", "", "x", "s", "", "s", "z"]), [6, 10], seen=REFUSED)
wrong("QLinearMul", node("QLinearMul", ["x", "s", "", "x", "s", "", "s", "z"]), [9, 25], seen=REFUSED)
POOL = node("QLinearAveragePool", ["x", "s", "", "s", "z"], kernel_shape=[1])
wrong("QLinearAveragePool", POOL, [3, 5], seen=REFUSED)
right("QLinearAdd with zero points", node("QLinearAdd", ["x", "s", "z", "x", "s", "z", "s", "z"]), [6, 10])
right("QLinearAdd without the last one", node("QLinearAdd", ["x", "s", "z", "x", "s", "z", "s"]), [6, 10])
verdict()

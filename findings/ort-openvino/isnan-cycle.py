"""
title: Where(IsNaN(a), 0, a) is refused, since "the graph is not acyclic"; it has no cycle.
library: onnxruntime-openvino
shows: 1.24.1
since: 1.23.0
class: bug
condition: a comes from a node that OpenVINO computes, and goes to IsNaN, which ONNX Runtime computes itself, and past
    it to Where.  It is right where a is an input of the graph, and by ONNX Runtime's own kernels.
rule: ONNX IR, Graphs: a graph must not have cycles, and this one has none.
documented: docs/backends.md, Execution providers of ONNX Runtime
tracker: none found; https://github.com/microsoft/onnxruntime/issues/13322 has these words from another provider
found: fuzz
"""
from library import Refused, call, right, verdict, wrong

BEHIND = "(float[2] x) => (float[2] y) <float z = {0}> { a = Relu(x) b = IsNaN(a) y = Where(b, z, a) }"
INPUT = "(float[2] x) => (float[2] y) <float z = {0}> { b = IsNaN(x) y = Where(b, z, x) }"

wrong("behind Relu", call(BEHIND, [1, -1]), [1, 0], seen=Refused("not acyclic"))
right("of an input", call(INPUT, [1, -1]), [1, -1])
right("ONNX Runtime's own kernels", call(BEHIND, [1, -1], provider="CPU"), [1, 0])
verdict()

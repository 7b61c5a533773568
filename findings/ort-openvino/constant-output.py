"""
title: A model is refused when one of its outputs is computed from constants alone.
library: onnxruntime-openvino
shows: 1.24.1
class: bug
condition: Another output comes from an input.  If the constant also goes into a node of that one, the refusal is
    "Duplicate definition of name"; else it is "node not found in graph cache".
rule: ONNX IR, Graphs: outputs are values of the graph, and none of its rules asks that they depend on an input.  ONNX
    Runtime's own kernels take both models.
documented: docs/backends.md, Execution providers of ONNX Runtime
tracker: none found
found: fuzz
"""
import numpy as np

from library import Refused, call, right, verdict, wrong

GRAPH = "(float[2] x) => (%s) <float[2] a = {1, 2}, float[2] b = {3, 4}> { z = Add(a, b) %s }"
ALONE = GRAPH % ("float[2] y, float[2] z", "y = Relu(x)")
USED = GRAPH % ("float[2] y, float[2] z", "t = Relu(x) y = Add(t, z)")
INNER = GRAPH % ("float[2] y", "t = Relu(x) y = Add(t, z)")


def outputs(text, **options):
    """All outputs in one array."""
    run = call(text, [1, -1], **options)
    return lambda: np.concatenate(run())


wrong("alone", outputs(ALONE), [1, 0, 4, 6], seen=Refused("not found in graph cache"))
wrong("used by a node", outputs(USED), [5, 6, 4, 6], seen=Refused("Duplicate definition"))
right("no output", outputs(INNER), [5, 6])
right("ONNX Runtime's own kernels", outputs(ALONE, provider="CPU"), [1, 0, 4, 6])
right("the same, used", outputs(USED, provider="CPU"), [5, 6, 4, 6])
verdict()

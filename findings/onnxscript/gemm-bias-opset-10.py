"""
title: The optimizer takes C from Gemm in models of opset 10 and before, which need it.
library: onnxscript
shows: 0.7.2
class: bug
condition: C is a constant of zeros alone, the opset is 10 or below; rule RemoveOptionalBiasFromGemm.
rule: ONNX Gemm-6, Gemm-7 and Gemm-9: C is no optional input; it is one from version 11 on.
documented: docs/fusions.md, onnxscript 0.7.2
tracker: none found
"""
from library import Refused, model, right, verdict, wrong

import onnx
from onnxscript import optimizer

TEXT = "(float[1, 2] x) => (float[1, 1] y) <float[2, 1] w = {1, 2}, float[1] c = {%g}> { y = Gemm(x, w, c) }"


def checked(c, opset):
    """How many inputs Gemm has in what was written, which ONNX's checker has to take."""
    m = model(TEXT % c, opset=opset)

    def inputs():
        made = optimizer.optimize(m)
        onnx.checker.check_model(made, full_check=True)
        return [len(made.graph.node[0].input)]
    return inputs


wrong("opset 10", checked(0, 10), 3, seen=Refused("has input size 2 not in range [min=3, max=3]"))
wrong("opset 7", checked(0, 7), 3, seen=Refused("has input size 2 not in range [min=3, max=3]"))
right("opset 10, another C", checked(1, 10), 3)
right("opset 11", checked(0, 11), 2)
verdict()

"""
title: CombineParallelMatmul fails on a module with a product whose left side is a constant.
library: tvm
shows: 0.27.0.post1
class: bug
condition: relax.transform.CombineParallelMatmul; a matmul of a constant by anything, be it the only one: "Cannot treat
    type".  A constant on the right is right, and so is one that is a parameter (keep_params_in_input).
rule: relax.transform.CombineParallelMatmul: "Combine multiple matmul operators sharing the same LHS matrix into one";
    it has nothing to say of a module in which no two share it.
documented: docs/fusions.md, TVM 0.27.0
tracker: none found; https://github.com/apache/tvm/issues/20197 is about vectors in the same pass,
    https://github.com/apache/tvm/issues/20205 about biases
"""
from library import Refused, from_onnx, model, relax, right, verdict, wrong

ONE = "(float[2, 2] x) => (float[2, 2] p) <float[2, 2] a = {1, 2, 3, 4}> { p = MatMul(%s) }"


def passed(operands):
    """How many functions the module has behind the pass."""
    module = from_onnx(model(ONE % operands), keep_params_in_input=False)
    return lambda: [len(relax.transform.CombineParallelMatmul()(module).functions)]


wrong("a constant on the left", passed("a, x"), 1, seen=Refused("Cannot treat type"))
right("on the right", passed("x, a"), 1)
verdict()

"""
title: CombineParallelMatmul fails on a module with a product whose left side is a constant.
library: tvm
shows: 0.27.0.post1
class: bug
condition: relax.transform.CombineParallelMatmul; a matmul of a constant by anything, and a second matmul.
rule: Relax: a matmul may have a constant on either side; a pass leaves alone what it does not handle.
documented: docs/fusions.md, TVM 0.27.0
tracker: none found; https://github.com/apache/tvm/issues/20197 is about vectors in the same pass
"""
from library import Refused, from_onnx, model, relax, right, verdict, wrong

ONE = ("(float[2, 2] x) => (float[2, 2] p, float[2, 2] q) <float[2, 2] a = {1, 2, 3, 4}> "
       "{ p = MatMul(%s) q = MatMul(x, a) }")


def passed(operands):
    """How many functions the module has behind the pass."""
    module = from_onnx(model(ONE % operands), keep_params_in_input=False)
    return lambda: [len(relax.transform.CombineParallelMatmul()(module).functions)]


wrong("a constant on the left", passed("a, x"), 1, seen=Refused("Cannot treat type"))
right("on the right", passed("x, a"), 1)
verdict()

"""
title: FuseTransposeMatmul fails where something else reads the transposed matrix, or both operands are of one tensor.
library: tvm
shows: 0.27.0.post1
class: bug
condition: relax.transform.FuseTransposeMatmul; the result of the permute_dims that is the right operand has another
    reader, a second matmul or the function's result too, or both operands are of one tensor (x by its own transpose, a
    transpose by itself).  A constant is right.
rule: relax.transform.FuseTransposeMatmul: "A compiler pass that fuses transpose + matmul"; a matrix that it cannot
    fuse is to stay as it is, and one that is read once is fused.
documented: docs/fusions.md, TVM 0.27.0
tracker: none found
"""
from library import Refused, from_onnx, model, relax, right, verdict, wrong

TEXT = ("(float[2, 3] x, float[2, 3] w) => (float[2, 2] y, float[%s] z) "
        "{ t = Transpose<perm = [1, 0]>(%s) y = MatMul(x, t) z = Relu(%s) }")


def passed(*words):
    """Whether the module has functions behind the pass."""
    module = from_onnx(model(TEXT % words), keep_params_in_input=False)
    return lambda: [len(relax.transform.FuseTransposeMatmul()(module).functions) > 0]


wrong("read by Relu, too", passed("3, 2", "w", "t"), True, seen=Refused("TupleType"))
wrong("x by its own", passed("2, 3", "x", "x"), True, seen=Refused("Index out of range"))
right("read once", passed("2, 3", "w", "x"), True)
verdict()

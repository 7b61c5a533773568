"""
title: MatMul, Gemm, Einsum and PRelu of integers take the bits of the numbers for those of floats: products are 0, and
    PRelu of -1 is 0.
library: MNN
shows: 3.6.1
class: bug
condition: int32 and int64.  float32 is right, and so are Einsum without a sum, Add and Div of int32.
rule: ONNX MatMul-13, Gemm-13, Einsum-12 and PRelu-16 have int32 and int64 among their types.
documented: docs/methods/fuzz.md, Found in MNN and tract on 19 November
tracker: none found
found: fuzz
"""
from library import call, right, verdict, wrong


def product(text, kind):
    return call("(%s[2,2] x, %s[2,2] z) => (%s[2,2] y) { y = %s(x, z) }" % (kind, kind, kind, text), [1, 2, 3, 4],
                [1, 2, 3, 4])


def prelu(kind):
    return call("(%s[1,1,1,2] x) => (%s[1,1,1,2] y) <%s[1] slope = {2}> { y = PRelu(x, slope) }" % (kind, kind, kind),
                [-1, 7], opset=16)


names = {"MatMul": "MatMul", "Gemm": "Gemm", "Einsum": 'Einsum<equation = "ij,jk->ik">'}
for name, text in names.items():
    for kind in "int32", "int64":
        wrong("%s of %s" % (name, kind), product(text, kind), [7, 10, 15, 22], seen=[0] * 4)
    right(name + " of float", product(text, "float"), [7, 10, 15, 22])
wrong("MatMul of a negative number", call("(int32[1,1] x, int32[1,1] z) => (int32[1,1] y) { y = MatMul(x, z) }", [-1],
                                          [2]), [-2])
for kind in "int32", "int64":
    wrong("PRelu of " + kind, prelu(kind), [-2, 7], seen=[0, 7])
right("PRelu of float", prelu("float"), [-2, 7])
right("Einsum ij,ij->ij of int32", product('Einsum<equation = "ij,ij->ij">', "int32"), [1, 4, 9, 16])
verdict()

"""
title: 1 / x of whole numbers, times y, becomes y / x: 0 becomes a quotient.
library: onnxruntime
shows: 1.31.1
class: bug
condition: Mul of a Div whose first operand is the constant 1, of int32 or int64; optimized as by default
    (DivMulFusion).  Of floats it is right.
rule: ONNX Div-14: the division of integers truncates, so that 1 / x is 0 for x above 1; Mul-14.
documented: docs/methods/equiv.md, ONNX Runtime's optimizers
tracker: none found
"""
import numpy as np

from library import NONE, model, right, run, verdict, wrong

x, y = [2, 3, -4, 1], [7, -9, 8, 5]


def product(kind, one, **options):
    m = model("(%s[4] x, %s[4] y) => (%s[4] z) <%s one = {%s}> { q = Div(one, x) z = Mul(q, y) }" %
              (kind, kind, kind, kind, one), opset=17)
    return lambda: run(m, np.array(x), np.array(y), **options)


for kind, dtype in (("int32", np.int32), ("int64", np.int64)):
    wrong("1 / x of " + kind, product(kind, 1), np.array([0, 0, 0, 5], dtype), seen=np.array([3, -3, -2, 5], dtype))
right("not optimized", product("int32", 1, level=NONE), np.array([0, 0, 0, 5], np.int32))
right("2 / x", product("int32", 2), np.array([7, 0, 0, 10], np.int32))
right("of floats", product("float", "1.0"), np.array([3.5, -3, -2, 5], np.float32))
verdict()

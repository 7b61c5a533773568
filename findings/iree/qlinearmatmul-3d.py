"""
title: QLinearMatMul of uint8 with three axes gives other numbers: 200 times 1 is 0.
library: iree-base-compiler
shows: 3.13.0
class: bug
condition: The type is uint8 and the tensors have three axes.
rule: ONNX QLinearMatMul-21: the product of matrices, quantized with y_scale and y_zero_point, for uint8 as for int8.
documented: data/quirks.tsv, QLinearMatMul
tracker: none found; https://github.com/iree-org/iree/issues/24583 is about the zero points of MatMulInteger, uint8
    taken as signed (the fix is in https://github.com/llvm/torch-mlir/pull/4601)
"""
from library import SECONDS, call, right, verdict, wrong


def product(sizes):
    return call("""(float[%s] x) => (float[%s] y)
        <uint8[%s] b = {1}, float one = {1}, uint8 zero = {0}>
        { a = Cast<to = 2>(x) q = QLinearMatMul(a, one, zero, b, one, zero, one, zero) y = Cast<to = 1>(q) }"""
                % (sizes, sizes, sizes), [200])


wrong("three axes", product("1,1,1"), [200], seen=[0], seconds=SECONDS)
right("two axes", product("1,1"), [200], seconds=SECONDS)
verdict()

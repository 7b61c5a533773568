"""
title: MatMul and Add become a Gemm whose C makes the result larger, which Gemm's must not.
library: onnxscript
shows: 0.7.2
class: bug
condition: matmul_add_to_gemm_rule, which the caller chooses; the summand has more rows, more columns or more axes than
    the product.
rule: ONNX Gemm-13: C broadcasts to the product's shape ("unidirectional broadcastable to (M, N)"), and not the product
    to C's.
documented: docs/fusions.md, onnxscript 0.7.2
tracker: none found
"""
from library import Refused, by_rules, right, verdict, wrong

RULE = "matmul_add_to_gemm_rule"
TEXT = ("(float[1, 2] x) => (float[%s] y) <float[2, 1] w = {1, 2}, float[%s] b = {%s}> "
        "{ m = MatMul(x, w) y = Add(m, b) }")
X = [[1, 1]]

wrong("more rows", by_rules(RULE, TEXT % ("2, 1", "2, 1", "1, 2"), X), [[4], [5]], seen=Refused("broadcast"))
wrong("more axes", by_rules(RULE, TEXT % ("2, 1, 1", "2, 1, 1", "1, 2"), X), [[[4]], [[5]]], seen=Refused("broadcast"))
right("one row", by_rules(RULE, TEXT % ("1, 1", "1, 1", "1"), X), [[4]])
verdict()

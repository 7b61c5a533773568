"""
title: MatMul with a vector is refused.
library: OpenCV
shows: 5.0.0
class: bug
condition: One of the two has one axis.
rule: ONNX MatMul-13: behaves like numpy.matmul, which takes vectors.
documented: data/quirks.tsv, MatMul
tracker: none found; https://github.com/opencv/opencv/pull/22828 (merged) says that MatMul takes no vector
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(float[%s] x, float[%s] z) => (float[%s] y) { y = MatMul(x, z) }"
MATRIX = [[1, 2], [3, 4]]

wrong("a vector and three axes", call(TEXT % ("2", "1, 2, 2", "1, 2"), [1, 1], [MATRIX]), [[4, 6]],
      seen=Refused("MatMul"))
right("two matrices", call(TEXT % ("1, 2", "2, 2", "1, 2"), [[1, 1]], MATRIX), [[4, 6]])
verdict()

"""
title: Einsum abcd,ceb->dbca gives a tensor with an axis of size 0; the sizes are those of d, b, c and a.
library: MNN
shows: 3.6.1
class: bug
condition: Two letters that both inputs have and the result keeps, and one, e, of size 1 that is summed over.
    ij,jk->ik is right.
rule: ONNX Einsum-12.
documented: docs/methods/fuzz.md, Found
tracker: none found; https://github.com/alibaba/MNN/pull/4466 is about the order of the axes of a result with four
"""
from library import array, call, right, verdict, wrong

wrong("abcd,ceb->dbca", call("""(float[1,2,2,1] x, float[2,1,2] z) => (float[1,2,2,1] y)
    { y = Einsum<equation = "abcd,ceb->dbca">(x, z) }""", [1, 2, 3, 4], [1, 2, 3, 4]),
      array([1, 2, 2, 1], [1 * 1, 2 * 3, 3 * 2, 4 * 4]), seen=array([1, 2, 2, 0], []))
right("ij,jk->ik", call("""(float[1,2] x, float[2,1] z) => (float[1,1] y)
    { y = Einsum<equation = "ij,jk->ik">(x, z) }""", [1, 2], [3, 4]), array([1, 1], [11]))
verdict()

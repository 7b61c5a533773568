"""
title: Concat of a tensor with a named dimension and one with a size there is refused by the compiler.
library: tvm
shows: 0.27.0.post1
class: bug
condition: Along another axis than that of Concat one input has a name (n) and the other a number, which are the same in
    the run.  Where both have the name, or both the number, it is right.
rule: ONNX Concat-13: all input tensors must have the same shape, except for the axis of concatenation; a named
    dimension may have any size.
documented: docs/methods/fuzz.md, Measured
tracker: https://github.com/apache/tvm/issues/17867 (open)
found: fuzz
"""
from library import Refused, array, call, right, verdict, wrong

TEXT = "(float[1, %s] x, float[1, %s] z) => (float[2, 2] y) { y = Concat<axis = 0>(x, z) }"
X, Z = array([1, 2], [1, 2]), array([1, 2], [3, 4])

wrong("a name and a number", call(TEXT % ("n", "2"), X, Z), [1, 2, 3, 4], seen=Refused("CodeGenVM cannot"))
right("numbers", call(TEXT % ("2", "2"), X, Z), [1, 2, 3, 4])
right("one name", call(TEXT % ("n", "n"), X, Z), [1, 2, 3, 4])
verdict()

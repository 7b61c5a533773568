"""
title: A Shape whose end is not behind its start kills the process.
library: onnxoptimizer
shows: 0.4.2
class: bug
condition: The sizes of x are known, and no axis is between start and end; pass eliminate_shape_op.
rule: ONNX Shape-15: where start is greater than end after clamping, the result has no elements.
documented: data/quirks.tsv, Shape
tracker: none found
"""
from library import Died, call, right, verdict, wrong

TEXT = "(float[3, 4, 5] x) => (int64[n] y) { y = Shape<start = %d, end = %d>(x) }"
X = [0] * 60

wrong("start behind end", call(TEXT % (2, 1), X, opset=15), [], seen=Died("SIGSEGV"))
right("start before end", call(TEXT % (1, 3), X, opset=15), [4, 5])
verdict()

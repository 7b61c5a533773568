"""
title: QuantizeLinear and DequantizeLinear of a vector in one block are refused; one block is a valid number of them.
library: onnxruntime
shows: 1.31.1
class: difference
condition: An input of one axis, block_size, and a scale of shape [1]: it is taken for the scale of a whole tensor,
    which must not have block_size.  Two blocks of a vector, and one block of a matrix of one column, are right.  ONNX
    says of the attribute axis that inputs of one axis are quantized as a whole.
rule: ONNX QuantizeLinear-21: with blocks, the scale of an input (D0) has the shape (ceil(D0 / B)).
documented: docs/methods/fuzz.md, What it found
tracker: none found
found: fuzz
"""
from library import Refused, model, right, run, verdict, wrong


def blocks(op, n, last=""):
    a, b = ("float", "uint8") if op == "QuantizeLinear" else ("uint8", "float")
    m = model("(%s[4%s] x) => (%s[4%s] y) <float[%d%s] s = {%s}> { y = %s<axis = 0, block_size = %d>(x, s) }"
              % (a, last, b, last, n, last, ", ".join(["2"] * n), op, 4 // n), opset=21, ir=10)
    return lambda: run(m, [0, 2, 4, 6])


seen = Refused("block_size must be 0")
wrong("QuantizeLinear, one block of 4", blocks("QuantizeLinear", 1), [0, 1, 2, 3], seen=seen)
wrong("DequantizeLinear, one block of 4", blocks("DequantizeLinear", 1), [0, 4, 8, 12], seen=seen)
right("QuantizeLinear, two blocks of 2", blocks("QuantizeLinear", 2), [0, 1, 2, 3])
right("QuantizeLinear, one block of a column of 4", blocks("QuantizeLinear", 1, last=",1"), [0, 1, 2, 3])
verdict()

"""
title: QLinearMatMul by a matrix of one column multiplies by the output's scale in place of dividing.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine, B has one column.  With two columns it is right.
rule: ONNX QLinearMatMul-21: y is the product over y_scale, plus y_zero_point.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import call, right, verdict, wrong


def product(columns):
    """10 times 2, in units of 0.5."""
    return call("""(uint8[1,1] a, float sa, uint8 za, uint8[1,%d] b, float sb, uint8 zb, float sy, uint8 zy) =>
                   (uint8[1,%d] y) { y = QLinearMatMul(a, sa, za, b, sb, zb, sy, zy) }""" % (columns, columns),
                [10], 1, 0, [2] * columns, 1, 0, 0.5, 0, opset=21)


wrong("one column", product(1), [40], seen=[10])
right("two columns", product(2), [40, 40])
verdict()

"""
title: The gradient of torch.linalg.det of a singular matrix is 0; that of a matrix of rank n - 1 is not.
library: torch
shows: 2.15.0
class: bug
condition: The determinant is 0 and the matrix is 2 x 2 or larger, float32 and float64.  A single 0 is right since pull
    request 171225; a matrix that is nearly singular is right.
rule: The determinant is a polynomial of the elements; its derivative is the matrix of cofactors, singular or not.
    torch.autograd.gradcheck refuses these gradients.
documented: docs/gpu.md, What was found
tracker: https://github.com/pytorch/pytorch/issues/104675 (closed)
"""
from library import gradient, right, slope, torch, verdict, wrong

det = torch.linalg.det
DIAGONAL, LINES, THREE = [[0., 0.], [0., 1.]], [[1., 2.], [2., 4.]], [[1., 0., 0.], [0., 2., 0.], [0., 0., 0.]]

wrong("diagonal 0, 1", lambda: gradient(det, DIAGONAL), [1, 0, 0, 0], seen=[0] * 4)
wrong("lines 1 2, 2 4", lambda: gradient(det, LINES), [4, -2, -2, 1], seen=[0] * 4)
wrong("the same in float32", lambda: gradient(det, LINES, torch.float32), [4, -2, -2, 1], seen=[0] * 4)
wrong("diagonal 1, 2, 0", lambda: gradient(det, THREE), [0, 0, 0, 0, 0, 0, 0, 0, 2], seen=[0] * 9)
right("the same by differences", lambda: slope(det, THREE), [0, 0, 0, 0, 0, 0, 0, 0, 2])
right("lines 1 2, 2 4.5", lambda: gradient(det, [[1., 2.], [2., 4.5]]), [4.5, -2, -2, 1])
verdict()

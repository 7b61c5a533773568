"""
title: keras.ops.sparsemax of numbers that are close together returns zeros where a distribution is right.
library: keras
shows: 3.15.1
class: bug
condition: Two or more numbers keep a share: of [2, 1.9] it is [0, 0], where [0.55, 0.45] is right.  Where a single
    number keeps all, as in [3, 0], it is right.
rule: sparsemax is the nearest point of the simplex (Martins and Astudillo, "From Softmax to Sparsemax", which the page
    names): its elements sum to 1.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: https://github.com/keras-team/keras/issues/23425
found: equiv
"""
from library import right, verdict, with_keras, wrong


def sparsemax(*values):
    return with_keras("numpy", lambda ops, np: ops.sparsemax(np.array([values], "float32")))


wrong("[2, 1.9]", sparsemax(2, 1.9), [[0.55, 0.45]], seen=[[0, 0]])
right("[3, 0]", sparsemax(3, 0), [[1, 0]])
verdict()

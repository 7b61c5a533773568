"""
title: Einsum to a tensor without axes does not sum over axes that one input alone has: "ij->" returns the matrix.
library: tract
shows: 0.23.9
class: bug
condition: The output has no axes, and a letter is in one input alone.  "ij,ij->" and "ij->i" are right.
rule: ONNX Einsum-12: letters that are not in the output are summed over.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import array, model, right, run, verdict, wrong


def einsum(equation, shapes, result, *values):
    inputs = ", ".join("float%s x%d" % (s, i) for i, s in enumerate(shapes))
    names = ", ".join("x%d" % i for i in range(len(shapes)))
    m = model('(%s) => (float%s y) { y = Einsum<equation = "%s">(%s) }' % (inputs, result, equation, names))
    return lambda: run(m, *values)


a = [1, 2, 3, 4]
wrong('"ij->"', einsum("ij->", ["[2,2]"], "", a), array([], 10), seen=array([2, 2], a))
wrong('"i,j->"', einsum("i,j->", ["[2]", "[2]"], "", [1, 2], [1, 2]), array([], 9), seen=array([2, 2], [1, 2, 2, 4]))
right('"ij,ij->"', einsum("ij,ij->", ["[2,2]", "[2,2]"], "", a, a), array([], 30))
right('"ij->i"', einsum("ij->i", ["[2,2]"], "[2]", a), array([2], [3, 7]))
verdict()

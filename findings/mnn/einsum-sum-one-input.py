"""
title: Einsum of two inputs that sums over a letter of one of them alone gives nothing ("Reshape error"), as ab,b->b.
library: MNN
shows: 3.6.1
class: bug
condition: Two inputs, a letter that one of them has and the result has not, and more than one element along it.  One
    element is right, and so is one input: ab->b.
rule: ONNX Einsum-12: letters that are not in the result are summed over.
documented: docs/methods/fuzz.md, Found in MNN and tract on 19 November
tracker: none found
found: fuzz
"""
from library import Refused, call, right, verdict, wrong


def two(equation, shape, second, values, more):
    return call('(float[%s] x, float[%d] z) => (float[%d] y) { y = Einsum<equation = "%s">(x, z) }'
                % (shape, second, second, equation), values, more)


wrong("ab,b->b", two("ab,b->b", "2,1", 1, [1, 10], [3]), [33], seen=Refused())
wrong("ab,c->c", two("ab,c->c", "2,2", 2, [1, 10, 2, 20], [1, 2]), [33, 66], seen=Refused())
right("ab,b->b, one element along a", two("ab,b->b", "1,2", 2, [1, 10], [3, 4]), [3, 40])
right("ab->b", call('(float[2,2] x) => (float[2] y) { y = Einsum<equation = "ab->b">(x) }', [1, 10, 2, 20]), [3, 30])
verdict()

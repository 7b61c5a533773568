"""
title: Einsum is refused where an index that one operand alone has is summed, and the other has one of its own, too.
library: OpenCV
shows: 5.0.0
class: bug
condition: Both engines; two operands, as in "abc,cd->bd", whose a is only in the first, or "bc,dc->b", whose d is only
    in the second: "Ranks of pair-wise operands must be equal", or sizes that do not match.  "ab,b->b" and "ab,b->",
    whose second operand has no index of its own, are right.
rule: ONNX Einsum-12: the sum is over all indices of the terms that are not in the result.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import Refused, array, call, right, verdict, wrong

TEXT = "(float[%s] x, float[%s] y) => (float%s z) { z = Einsum<equation = \"%s\">(x, y) }"


def einsum(equation, x, y, z):
    def size(dims):
        return 1 if not dims else dims[0] * size(dims[1:])
    sizes = [",".join(map(str, dims)) for dims in (x, y, z)]
    text = TEXT % (*sizes[:2], f"[{sizes[2]}]" if z else "", equation)
    return call(text, [1] * size(x), [1] * size(y), opset=13)


wrong("of the first", einsum("abc,cd->bd", (2, 1, 2), (2, 3), (1, 3)), array([1, 3], [4, 4, 4]), seen=Refused())
wrong("of the second", einsum("bc,dc->b", (3, 2), (2, 2), (3,)), array([3], [4, 4, 4]), seen=Refused())
right("index that both have", einsum("a,ab->b", (2,), (2, 3), (3,)), array([3], [2, 2, 2]))
right("of the first alone", einsum("ab,b->b", (2, 3), (3,), (3,)), array([3], [2, 2, 2]))
right("nothing kept", einsum("ab,b->", (2, 3), (3,), ()), [6])
verdict()

"""
title: c · Elu(x / c) kills the process when c is made by a node.
library: OpenCV
shows: 5.0.0
class: bug
condition: c comes out of Cast, CastLike or Identity; a Constant, or Relu in the place of Elu, is right.
rule: ONNX Elu-6: x for positive x; so the product is x.
documented: data/quirks.tsv, Cast
tracker: none found
"""
from library import Died, call, right, verdict, wrong

CONSTANT = "%s = Constant<value = float {2}>()"
BEHIND = CONSTANT % "a" + " c = %s(a)"


def celu(made, middle):
    return call("(float[4] x) => (float[4] y) { %s d = Div(x, c) e = %s(d) "
                "y = Mul(c, e) }" % (made, middle), [1, 2, 3, 4])


wrong("Cast, Elu", celu(BEHIND % "Cast<to = 1>", "Elu"), [1, 2, 3, 4], seen=Died())
wrong("Identity, Elu", celu(BEHIND % "Identity", "Elu"), [1, 2, 3, 4], seen=Died())
right("Cast, Relu", celu(BEHIND % "Cast<to = 1>", "Relu"), [1, 2, 3, 4])
right("a constant, Elu", celu(CONSTANT % "c", "Elu"), [1, 2, 3, 4])
verdict()

"""
title: A factor and a summand of rank above 1 give a fused Conv a bias of a shape that no Conv takes.
library: onnxscript
shows: 0.7.2
class: bug
condition: conv_affine_fusion_rule, with one-element constants of rank 2 or more.  affine_conv_fusion_rule is right.
    ONNX Runtime refuses the Conv ("bias must be a 1D tensor").
rule: ONNX Conv-11: B is a 1D tensor of as many elements as there are feature maps.
documented: docs/fusions.md, onnxscript 0.7.2
tracker: none found
"""
from library import Refused, array, model, right, verdict, wrong

from onnxscript import rewriter
from onnxscript.rewriter.rules.common import conv_affine_fusion_rule

TEXT = ("(float[1, 1, 1, 1] x) => (float[1, 2, 1, 1] y) <float[2, 1, 1, 1] w = {1, 2}, float[2] b = {0, 1}, "
        "float%s s = {2}, float%s o = {1}> { t = Conv(x, w, b) u = Mul(t, s) y = Add(u, o) }")


def checked(shape):
    """The shape of the bias in what was written, where it is one that Conv takes."""
    m = model(TEXT % (shape, shape))

    def bias():
        made = rewriter.rewrite(m, [conv_affine_fusion_rule])
        node = made.graph.node[0]
        dims = [i.dims for i in made.graph.initializer if i.name == node.input[2]][0]
        if len(dims) != 1:
            raise ValueError("a bias of %d axes" % len(dims))
        return array(1, dims)
    return bias


wrong("rank 4", checked("[1, 1, 1, 1]"), [2], seen=Refused("a bias of 4 axes"))
right("rank 0", checked(""), [2])
verdict()

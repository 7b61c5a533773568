"""
title: DequantizeLinear and a node that moves data in front of If, whose branches read the result, kill the process
    (SIGABRT); it is a valid model.
library: onnxruntime
shows: 1.31.1
class: bug
condition: Reshape, Slice, Transpose or Unsqueeze behind DequantizeLinear, and the branches of If read its result;
    optimized as by default (QDQPropagationTransformer).  Relu in its place is right, and so are branches that read
    what another node (Neg) makes of it.
rule: ONNX IR, "Nested graphs": a body may name values of the graph outside.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import NONE, Died, model, right, run, verdict, wrong


def branch(node, shape="2,2", read="t", **options):
    m = model("""(uint8[2,2] x, bool c) => (float[%s] y)
        <float s = {0.5}, uint8 z = {0}, int64[2] square = {2, 2}, int64[1] zero = {0}, int64[1] two = {2}>
        { d = DequantizeLinear(x, s, z) t = %s n = Neg(t) y = If(c)<
          then_branch = a () => (float[%s] u) { u = Identity(%s) },
          else_branch = b () => (float[%s] v) { v = Neg(%s) }> }""" % (shape, node, shape, read, shape, read))
    return lambda: run(m, [1, 2, 3, 4], True, **options)


died, halves = Died("SIGABRT"), [0.5, 1, 1.5, 2]
wrong("Reshape", branch("Reshape(d, square)"), halves, seen=died)
wrong("Slice", branch("Slice(d, zero, two)"), halves, seen=died)
wrong("Transpose", branch("Transpose(d)"), [0.5, 1.5, 1, 2], seen=died)
wrong("Unsqueeze", branch("Unsqueeze(d, zero)", "1,2,2"), halves, seen=died)
right("Transpose, not optimized", branch("Transpose(d)", level=NONE), [0.5, 1.5, 1, 2])
right("Relu", branch("Relu(d)"), halves)
right("Transpose and Neg", branch("Transpose(d)", read="n"), [-0.5, -1.5, -1, -2])
verdict()

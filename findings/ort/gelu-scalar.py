"""
title: GELU by tanh, written out, of a tensor without axes is refused; it is a valid model.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: bug
condition: The tensor has no axes, x is multiplied by 0.5 first, and another node follows, so that FastGeluFusion
    takes it.
rule: ONNX Pow-13, Mul-13, Add-13, Tanh-13 take tensors of any rank.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxruntime/issues/23138 is about Gelu, not FastGelu
"""
from library import NONE, Refused, model, right, run, verdict, wrong


def gelu(shape, **options):
    m = model("""(float%s x) => (float%s y)
        <float three = {3}, float k = {0.044715}, float root = {0.7978845608}, float one = {1}, float half = {0.5}>
        { p = Pow(x, three) a = Mul(p, k) b = Add(x, a) c = Mul(b, root) t = Tanh(c) o = Add(t, one)
          h = Mul(x, half) g = Mul(h, o) y = Neg(g) }""" % (shape, shape))
    return lambda: run(m, 1.0, **options)


# -0.5 * (1 + tanh(0.7978845608 * 1.044715))
wrong("a tensor without axes", gelu(""), [-0.8411920], seen=Refused("FastGelu"))
right("a tensor without axes, not optimized", gelu("", level=NONE), [-0.8411920])
right("a tensor of shape [1]", gelu("[1]"), [-0.8411920])
verdict()

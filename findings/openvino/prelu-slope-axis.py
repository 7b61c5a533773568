"""
title: PRelu with a slope of one axis takes it along the channels; ONNX broadcasts it along the last axis.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: Three axes or more, and as many slopes as channels; x has as many places on its last axis, too.  The
    same from max(x, 0) + slope * max(-x, 0) written out, which becomes such a PRelu: a model without PRelu is wrong,
    too.
rule: ONNX PRelu-16: slope is broadcast as NumPy does it, from the last axis on; ONNX Mul-14 says the same of Mul.
documented: docs/methods/fuzz.md, Found
tracker: https://github.com/openvinotoolkit/openvino/issues/35958,
    https://github.com/openvinotoolkit/openvino/issues/33371
"""
from library import model, right, run, verdict, wrong


def prelu(shape, slopes):
    m = model("(float[1,2,%d] x, float[%s] s) => (float[1,2,%d] y) { y = PRelu(x, s) }"
              % (len(slopes), shape, len(slopes)), opset=16)
    return lambda: run(m, [-1] * (2 * len(slopes)), slopes)


def written_out(shape):
    m = model("""(float[1,2,2] x) => (float[1,2,2] y) <float[%s] s = {1, 3}>
        { p = Relu(x) n = Neg(x) q = Relu(n) r = Mul(q, s) y = Add(p, r) }""" % shape, opset=16)
    return lambda: run(m, [-1] * 4)


wrong("PRelu", prelu("2", [1, 3]), [-1, -3, -1, -3], seen=[-1, -1, -3, -3])
wrong("written out", written_out("2"), [1, 3, 1, 3], seen=[1, 1, 3, 3])
right("PRelu, a slope of three axes", prelu("1,1,2", [1, 3]), [-1, -3, -1, -3])
right("written out, a slope of three axes", written_out("1,1,2"), [1, 3, 1, 3])
right("PRelu, three slopes and two channels", prelu("3", [1, 3, 5]), [-1, -3, -5] * 2)
verdict()

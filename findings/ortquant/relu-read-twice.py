"""
title: A Relu is dropped though its input is read elsewhere, too: negative numbers pass.
library: onnxruntime
shows: 1.27.0, 1.31.1
class: bug
condition: QOperator form, asymmetric activations; the input of Relu is quantized and has another reader.  Where
  Relu is the only reader the range of its input is cut at 0, which does its work.
rule: ONNX Relu: 0 where x is negative.
documented: data/quirks.tsv, Relu
tracker: none found; https://github.com/microsoft/onnxruntime/issues/9425 is about symmetric activations, for which
    Relu stays since https://github.com/microsoft/onnxruntime/pull/11696
"""
from library import call, right, verdict, wrong

HEAD = "(float[1, 1, 1, 3] x) => (float[1, 1, 1, 3] y) <float[1, 1, 1, 1] w = {1}> { c = Conv(x, w) r = Relu(c) "
X = [[[[-1, -0.25, 1]]]]
RIGHT = [[[[-1, -0.25, 2]]]]
SEEN = [[[[-1, -0.5, 2]]]]  # the first one is as low as the range of the right numbers reaches


def quantized(last, form):
    return call(HEAD + last + " }", X, opset=21, form=form, activation="uint8")


wrong("QOperator", quantized("y = Add(r, c)", "qoperator"), RIGHT, seen=SEEN, abs=0.05)
right("QDQ", quantized("y = Add(r, c)", "qdq"), RIGHT, abs=0.05)
right("one reader", quantized("y = Add(r, x)", "qoperator"), RIGHT, abs=0.05)
verdict()

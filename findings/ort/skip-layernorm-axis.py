"""
title: Add and LayerNormalization over several axes become a SkipLayerNormalization over the last one.
library: onnxruntime
shows: 1.31.1
class: bug
condition: LayerNormalization behind an Add of two tensors of one shape, an axis before the last, and scale and bias of
    one axis; optimized as by default.
rule: ONNX LayerNormalization-17: mean and variance are over all axes from `axis` on; scale and bias are broadcast.
documented: docs/methods/equiv.md, ONNX Runtime's optimizers
tracker: none found; https://github.com/microsoft/onnxruntime/issues/27455 is about scale and bias of several axes
"""
import numpy as np

from library import NONE, model, right, run, verdict, wrong

a, b = np.linspace(-1, 2, 12).reshape(1, 3, 4), np.linspace(1, 0, 12).reshape(1, 3, 4) ** 2
scale, bias = np.array([1, 2, 3, 4]), np.array([0, 0, 1, 1])


def formula(axes):
    x = a + b
    d = x - x.mean(axes, keepdims=True)
    return (d / np.sqrt((d ** 2).mean(axes, keepdims=True) + 1e-5) * scale + bias).astype(np.float32)


def normalized(axis, **options):
    m = model("""(float[1,3,4] a, float[1,3,4] b, float[4] s, float[4] c) => (float[1,3,4] y)
        { x = Add(a, b) y = LayerNormalization<axis = %d>(x, s, c) }""" % axis, opset=17)
    return lambda: run(m, a, b, scale, bias, **options)


wrong("from axis 1", normalized(1), formula((1, 2)), seen=formula((2,)))
right("from axis 1, not optimized", normalized(1, level=NONE), formula((1, 2)))
right("the last axis", normalized(-1), formula((2,)))
verdict()

"""
title: Resize with axes between two Transposes resizes another axis, or is refused; it is a valid model.
library: onnxruntime
shows: 1.31.1
class: bug
condition: Resize of opset 18 or newer with scales and the attribute axes, between two Transposes, optimized as by
    default: scales are reordered as if there were one for each axis, in order, and axes are not.  Refused with fewer
    axes than the tensor has.  Without axes, or without optimization, it is right.
rule: ONNX Resize-18, attribute axes: the axes that roi, scales and sizes refer to.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxruntime/pull/21954 is about the layout of execution providers
"""
import numpy as np

from library import NONE, Refused, model, right, run, verdict, wrong

x = np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4)


def resized(scales, axes=None, mode="nearest", **options):
    m = model("""(float[1,2,3,4] x) => (float[b,c,h,w] y) <float[%d] s = {%s}> { t = Transpose<perm = [0,2,3,1]>(x)
        u = Resize<mode = "%s"%s>(t, , s) y = Transpose<perm = [0,3,1,2]>(u) }"""
              % (len(scales), ", ".join(map(str, scales)), mode, ", axes = %s" % axes if axes else ""), opset=18)
    return lambda: run(m, x, **options)


# Axis 3 of the transposed tensor is axis 1 of x, axes 1 and 2 are its last two.
channels, columns, both = x.repeat(2, 1), x.repeat(2, 3), x.repeat(2, 2).repeat(2, 3)
says = Refused("running Gather node")
wrong("axes 3, 0, 1, 2", resized([2, 1, 1, 1], [3, 0, 1, 2]), channels, seen=columns)
wrong("axis 3 alone", resized([2], [3]), channels, seen=says)
wrong("axes 1 and 2", resized([2, 2], [1, 2]), both, seen=says)
right("axes 3, 0, 1, 2, not optimized", resized([2, 1, 1, 1], [3, 0, 1, 2], level=NONE), channels)
right("axes 1 and 2, not optimized", resized([2, 2], [1, 2], level=NONE), both)
right("without axes", resized([1, 2, 2, 1]), both)
verdict()

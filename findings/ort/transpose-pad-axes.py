"""
title: Pad with axes between two Transposes pads another axis, or is refused; it is a valid model.
library: onnxruntime
shows: 1.31.1
class: bug
condition: Pad of opset 18 or newer with the input axes, between two Transposes, optimized as by default: pads are
    reordered as if there were one for each axis, in order, and axes are not.  Refused with fewer axes than the tensor
    has.  Without axes, or without optimization, it is right.
rule: ONNX Pad-18, input axes: those "that `pads` apply to".
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxruntime/pull/21954 is about axes of Resize
"""
import numpy as np

from library import NONE, Refused, model, right, run, verdict, wrong

x = np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4)


def listed(name, values):
    return "int64[%d] %s = {%s}" % (len(values), name, ", ".join(map(str, values)))


def padded(pads, axes=None, **options):
    constants = listed("p", pads) + (", " + listed("a", axes) if axes else "")
    m = model("""(float[1,2,3,4] x) => (float[b,c,h,w] y) <%s> { t = Transpose<perm = [0,2,3,1]>(x)
        u = Pad(t, p%s) y = Transpose<perm = [0,3,1,2]>(u) }""" % (constants, ", , a" if axes else ""), opset=18)
    return lambda: run(m, x, **options)


# Axis 3 of the transposed tensor is axis 1 of x: 1 zero comes before it and 2 behind it.
channels = np.pad(x, [(0, 0), (1, 2), (0, 0), (0, 0)])
columns = np.pad(x, [(0, 0), (0, 0), (0, 0), (1, 2)])
wrong("axes 3, 0, 1, 2", padded([1, 0, 0, 0, 2, 0, 0, 0], [3, 0, 1, 2]), channels, seen=columns)
wrong("axis 3 alone", padded([1, 2], [3]), channels, seen=Refused("running Gather node"))
wrong("axis -1 alone", padded([1, 2], [-1]), channels, seen=Refused("running Gather node"))
right("axes 3, 0, 1, 2, not optimized", padded([1, 0, 0, 0, 2, 0, 0, 0], [3, 0, 1, 2], level=NONE), channels)
right("axis 3 alone, not optimized", padded([1, 2], [3], level=NONE), channels)
right("without axes", padded([0, 0, 0, 1, 0, 0, 0, 2]), channels)
verdict()

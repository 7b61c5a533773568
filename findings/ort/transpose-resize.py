"""
title: Transpose in front of a linear or cubic Resize of its last two axes is refused; it is a valid model.
library: onnxruntime
shows: 1.31.1
class: bug
condition: Four axes, and the last two of the transposed tensor are neither the last two nor the middle two of the
    one before it (perm [0,2,3,1]); optimized as by default: the Transpose moves behind Resize, which cannot resize
    those axes.  [0,3,1,2] and [0,1,3,2] are right, and so is each of them without optimization.
rule: ONNX Transpose-13 and Resize-13.  An optimization must not make a model that the library then refuses.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxruntime/pull/12815 is about CUDA
"""
import numpy as np

from library import NONE, Refused, model, right, run, verdict, wrong

numbers = np.arange(48, dtype=np.float32).reshape(1, 2, 4, 6)


def halved(perm, mode="linear", x=numbers, **options):
    """The means of two by two elements."""
    b, c, h, w = x.transpose(perm).shape
    means = x.transpose(perm).reshape(b, c, h // 2, 2, w // 2, 2).mean((3, 5))
    m = model("""(float[1,2,4,6] x) => (float%s y) <int64[4] sizes = {%s}>
        { t = Transpose<perm = %s>(x) y = Resize<mode = "%s">(t, , , sizes) }"""
              % (list(means.shape), ", ".join(map(str, means.shape)), list(perm), mode))
    return (lambda: run(m, x, **options)), means


ones = np.ones_like(numbers)
wrong("linear, [0,2,3,1]", *halved((0, 2, 3, 1)), seen=Refused("'Linear' mode only supports"))
wrong("cubic, [0,2,3,1]", *halved((0, 2, 3, 1), "cubic", ones), seen=Refused("'Cubic' mode only supports"))
right("linear, [0,2,3,1], not optimized", *halved((0, 2, 3, 1), level=NONE))
right("cubic, [0,2,3,1], not optimized", *halved((0, 2, 3, 1), "cubic", ones, level=NONE))
right("linear, [0,3,1,2]", *halved((0, 3, 1, 2)))
right("linear, [0,1,3,2]", *halved((0, 1, 3, 2)))
verdict()

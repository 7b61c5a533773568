"""
title: Resize with a scale of 1.2 copies an axis of 4, whose size stays 4, or samples it by 1.2, as other axes and
    antialias will have it.
library: onnxruntime
shows: 1.31.1
class: difference
condition: By scales, and the size of the output, rounded down, is that of the input: copied where all axes keep their
    sizes, and with antialias each of them.  Where another axis is resized, without antialias, 1.2 is used, as for
    every other size.
rule: ONNX Resize-13: scale = length_resized / length_original, which is 1 here; ONNX's own test cases use the scale
    that is given, and so does ONNX Runtime for all other sizes.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/onnx/onnx/issues/4919 asks how sizes are rounded
"""
from library import model, right, run, verdict, wrong


def widened(rows=1, attributes="", scale="1.2", size=4):
    m = model("""(float[1,1,1,4] x) => (float[1,1,%d,%d] y) <float[4] scales = {1, 1, %d, %s}>
        { y = Resize<mode = "linear"%s>(x, , scales) }""" % (rows, size, rows, scale, attributes), opset=18)
    return lambda: run(m, [0, 1, 2, 3])


def sampled(scale, size=4):
    """The value at a position is the position, from 0 to 3."""
    return [min(max((i + 0.5) / scale - 0.5, 0), 3) for i in range(size)]


wrong("one row", widened(), sampled(1.2), seen=[0, 1, 2, 3])
wrong("two rows of one, antialias", widened(2, ", antialias = 1"), 2 * sampled(1.2), seen=2 * [0, 1, 2, 3])
right("two rows of one", widened(2), 2 * sampled(1.2))
right("one row, scale 1.3, size 5", widened(1, "", "1.3", 5), sampled(1.3, 5))
verdict()

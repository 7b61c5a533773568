"""
title: Resize with pytorch_half_pixel and cubic to one element does not give the first element.
library: tract
shows: 0.23.9
class: difference
condition: mode is cubic, and an axis has one element after and several before; linear is right.
rule: ONNX Resize-11, attribute coordinate_transformation_mode: pytorch_half_pixel is 0 where length_resized is 1.
    ONNX's own reference uses -0.5 there, which gives what tract does.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/onnx/onnx/issues/4275 is about -0.5 in place of 0 in ONNX's reference, which
    gives the same number
"""
from library import model, right, run, verdict, wrong


def resize(mode, size):
    m = model("""(float[1,1,1,4] x) => (float[1,1,1,%d] y) <float[4] scales = {1, 1, 1, %.2f}>
        { y = Resize<mode = "%s", coordinate_transformation_mode = "pytorch_half_pixel">(x, , scales) }"""
              % (size, size / 4, mode))
    return lambda: run(m, [1, 2, 3, 5])


# At place 0 the weight of the first element is 1, in either mode; between two elements cubic weights are
# -3/32, 19/32, 19/32, -3/32, and what is outside is the border.
wrong("4 to 1, cubic", resize("cubic", 1), [1], seen=[0.90625])
right("4 to 1, linear", resize("linear", 1), [1])
right("4 to 2, cubic", resize("cubic", 2), [(-3 + 19 + 38 - 9) / 32, (-6 + 57 + 95 - 15) / 32])
verdict()

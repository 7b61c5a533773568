"""
title: Resize with tf_crop_and_resize copies its input when the output has the same size; the region must be read.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: bug
condition: Every output size equals the input size (by sizes, or by scales of 1), and the region is not the whole input.
rule: ONNX Resize-13, attribute coordinate_transformation_mode, formula for tf_crop_and_resize.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxruntime/pull/5303 leaves an axis of scale 1 alone, for all
    modes
"""
from library import model, right, run, verdict, wrong


def crop(size):
    m = model("""(float[1,1,4] x) => (float[1,1,%d] y)
        <float[6] roi = {0, 0, 0.25, 1, 1, 0.75}, int64[3] sizes = {1, 1, %d}>
        { y = Resize<mode = "linear", coordinate_transformation_mode = "tf_crop_and_resize">(x, roi, , sizes) }"""
              % (size, size))
    return lambda: run(m, [1, 2, 3, 4])


# Positions run from 0.25 * 3 = 0.75 to 0.75 * 3 = 2.25; the value at position p is p + 1.
wrong("4 elements of the middle half of 4", crop(4), [1.75, 2.25, 2.75, 3.25], seen=[1, 2, 3, 4])
right("5 elements of it", crop(5), [1.75, 2.125, 2.5, 2.875, 3.25])
right("3 elements of it", crop(3), [1.75, 2.5, 3.25])
verdict()

"""
title: Resize with tf_crop_and_resize does not read the region along an axis that keeps its size.
library: onnxruntime
shows: 1.31.1
class: bug
condition: An axis keeps its size where another one does not, and its region is not the whole axis.
rule: ONNX Resize-13, attribute coordinate_transformation_mode, formula for tf_crop_and_resize.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxruntime/pull/5303 leaves an axis of scale 1 alone, for all
    modes
"""
from library import model, right, run, verdict, wrong


def crop(height):
    m = model("""(float[1,1,2,1] x) => (float[1,1,%d,3] y)
        <float[8] roi = {0, 0, 0.25, 0, 1, 1, 0.75, 1}, int64[4] sizes = {1, 1, %d, 3}>
        { y = Resize<mode = "linear", coordinate_transformation_mode = "tf_crop_and_resize">(x, roi, , sizes) }"""
              % (height, height))
    return lambda: run(m, [0, 4])


# Along the first of both axes positions run from 0.25 to 0.75; the value at position p is 4 p.
wrong("2 elements of the middle half of 2", crop(2), [1, 1, 1, 3, 3, 3], seen=[0, 0, 0, 4, 4, 4])
right("3 elements of it", crop(3), [1, 1, 1, 2, 2, 2, 3, 3, 3])
verdict()

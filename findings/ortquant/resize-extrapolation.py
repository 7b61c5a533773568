"""
title: Outside of the image a quantized Resize has the number that is stored as 0, not extrapolation_value.
library: onnxruntime
shows: 1.31.1
class: bug
condition: tf_crop_and_resize, QOperator form, a zero point that is not 0: extrapolation_value stays as it is beside
  quantized numbers.
rule: ONNX Resize: with tf_crop_and_resize what is outside of the input has extrapolation_value, 0 by default.
documented: data/quirks.tsv, Resize
tracker: none found
"""
from library import call, right, verdict, wrong

TEXT = ("(float[1, 1, 1, 2] x) => (float[1, 1, 1, 4] y) <float[1, 1, 1, 1] w = {{1}}, "
        "float[8] roi = {{0, 0, 0, 0, 1, 1, 1, {}}}, int64[4] sizes = {{1, 1, 1, 4}}> {{ c = Conv(x, w) "
        "y = Resize <coordinate_transformation_mode = \"tf_crop_and_resize\", mode = \"nearest\"> (c, roi, , sizes) }}")


def resized(end, form):
    """Four places from 0 to `end` of an image of two numbers, -2 and 2."""
    return call(TEXT.format(end), [[[[-2, 2]]]], opset=21, form=form, activation="uint8")


wrong("half of it outside", resized(3, "qoperator"), [[[[-2, 2, 0, 0]]]], seen=[[[[-2, 2, -2, -2]]]], abs=0.05)
right("in float, between quantized ones", resized(3, "qdq"), [[[[-2, 2, 0, 0]]]], abs=0.05)
right("nothing outside", resized(1, "qoperator"), [[[[-2, -2, 2, 2]]]], abs=0.05)
verdict()

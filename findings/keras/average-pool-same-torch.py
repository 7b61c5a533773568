"""
title: keras.ops.average_pool of 4×4 by 3×3, stride 2, padding same, with PyTorch repeats the edge: the last is 14.33,
    not 13.5.
library: keras
shows: 3.15.1
class: difference
condition: With PyTorch, where same pads one end alone.  NumPy and TensorFlow give 13.5.
rule: The documentation does not say whether pads count; NumPy and TensorFlow leave them out.
documented: docs/backends.md, Keras
tracker: https://github.com/keras-team/keras/pull/23233 (merged; leaves the pads out)
"""
from library import array, right, verdict, with_keras, wrong


def call(ops, np):
    return ops.average_pool(np.arange(1, 17, dtype="float32").reshape(1, 4, 4, 1), 3, 2, "same")[0, :, :, 0]


RIGHT = array([2, 2], [[6, 7.5], [12, 13.5]])
wrong("with torch", with_keras("torch", call), RIGHT, seen=[[6, 23 / 3], [38 / 3, 43 / 3]], rel=1e-3, abs=1e-6)
right("with numpy", with_keras("numpy", call), RIGHT, rel=1e-3, abs=1e-6)
verdict()

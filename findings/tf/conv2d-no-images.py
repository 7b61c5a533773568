"""
title: Conv2D of no images gives the shape of its input, [0, 5, 5, 2]; [0, 3, 3, 3] is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: With oneDNN (the default), a batch of 0.  Without oneDNN it is right, and so is a batch of 1.
rule: tf.nn.conv2d: [batch, out_height, out_width, out_channels], which tf.function infers.
documented: docs/methods/fuzz.md, Found
tracker: none found; https://github.com/tensorflow/tensorflow/issues/64396 is about the same wrong shape where the
    window is larger than the input
"""
import numpy as np

from library import right, verdict, with_tf, wrong


def shape(images, onednn=True):
    x, w = np.zeros((images, 5, 5, 2), np.float32), np.zeros((3, 3, 2, 3), np.float32)
    return with_tf(lambda tf: np.array(tf.nn.conv2d(x, w, 1, "VALID").numpy().shape), onednn)


wrong("no image", shape(0), [0, 3, 3, 3], seen=[0, 5, 5, 2])
right("no image, without oneDNN", shape(0, False), [0, 3, 3, 3])
right("one image", shape(1), [1, 3, 3, 3])
verdict()

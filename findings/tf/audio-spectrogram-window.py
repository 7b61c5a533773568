"""
title: AudioSpectrogram kills the process when window_size is negative; an error is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: window_size below 0.  0 is refused, and 2 gives a spectrogram.
rule: tf.raw_ops.AudioSpectrogram: window_size is how wide the window is in samples; an InvalidArgumentError, as for
    0.
documented: docs/methods/equiv.md, What was measured
tracker: https://github.com/tensorflow/tensorflow/issues/63352 (open),
    https://github.com/tensorflow/tensorflow/issues/108664 (open; fixed by
    https://github.com/tensorflow/tensorflow/pull/109326, which 2.21.0 does not have)
"""
import numpy as np

from library import Died, Refused, right, verdict, with_tf, wrong


def ones(*shape):
    return np.ones(shape, np.float32)


def spectrogram(size):
    return with_tf(lambda tf: list(tf.raw_ops.AudioSpectrogram(input=ones(4, 1), window_size=size, stride=1).shape))


wrong("window_size -1", spectrogram(-1), Refused(), seen=Died())
right("window_size 0", spectrogram(0), Refused("InvalidArgumentError"))
right("window_size 2", spectrogram(2), (1, 3, 2))  # channels, windows, frequencies
verdict()

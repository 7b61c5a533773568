"""
title: RFFT and IRFFT, also over two and three axes, kill the process when fft_length is 0 along the last axis.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: fft_length ends with 0 and the input has elements.  (Of IRFFT2D and IRFFT3D the other lengths are not 0.)
rule: tf.signal.rfft: a transform of length 0 has no elements, or is to be refused.
documented: docs/methods/equiv.md, What was measured
tracker: https://github.com/tensorflow/tensorflow/issues/74748 (RFFT and IRFFT),
    https://github.com/tensorflow/tensorflow/issues/65735 (RFFT2D)
"""
import numpy as np

from library import Died, right, verdict, with_tf, wrong


def transform(name, lengths):
    kind = np.complex64 if name.startswith("I") else np.float32
    x = np.ones([2] * len(lengths), kind)
    return with_tf(lambda tf: np.array(getattr(tf.raw_ops, name)(input=x, fft_length=lengths).numpy().shape))


for name in ("RFFT", "RFFT2D", "RFFT3D", "IRFFT", "IRFFT2D", "IRFFT3D"):
    axes = int(name[-2]) if name[-1] == "D" else 1
    lengths = [2] * (axes - 1) + [0]
    shape = lengths[:-1] + [1 if name.startswith("R") else 0]  # n // 2 + 1 of the last axis
    wrong("the shape of %s, %s" % (name, lengths), transform(name, lengths), shape, seen=Died("SIGABRT"))
right("the shape of RFFT, [2]", transform("RFFT", [2]), [2])
right("the shape of RFFT2D, [0, 2]", transform("RFFT2D", [0, 2]), [0, 2])
verdict()

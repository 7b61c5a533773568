"""
title: tf.math.atan2(0, 2.9e-39) is 0.785 in a tensor of 16 elements; 0 is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: float32, CPU, one argument subnormal and the other 0 or subnormal too, in tensors of 8 and more elements;
    alone atan2(1e-39, 2.9e-39) is NaN.  With 0 in place of the subnormal number, and with normal ones, it is right.
rule: tf.math.atan2: the angle between the ray to (x, y) and the x axis; of y = 0 and x > 0 it is 0, also where a
    subnormal number is taken for 0.
documented: docs/methods/equiv.md, Documented functions
tracker: https://github.com/tensorflow/tensorflow/issues/118643 is about its NaN
"""
import numpy as np

from library import called, right, verdict, wrong


def angle(y, x, n):
    return called(lambda tf, a, b: tf.math.atan2(a, b), np.full(n, y, np.float32), np.full(n, x, np.float32))


def all_of(value, n=16):
    return np.full(n, value, np.float32)


wrong("0, 2.9e-39", angle(0, 2.9e-39, 16), all_of(0), seen=all_of(np.pi / 4))
wrong("0, -2.9e-39", angle(0, -2.9e-39, 16), all_of(np.pi), seen=all_of(3 * np.pi / 4))
wrong("2.9e-39, 0", angle(2.9e-39, 0, 16), all_of(np.pi / 2), seen=all_of(np.pi / 4))
right("0, 0", angle(0, 0, 16), all_of(0))
right("0, 1e-37", angle(0, 1e-37, 16), all_of(0))
right("0, 2.9e-39, one element", angle(0, 2.9e-39, 1), all_of(0, 1))
verdict()

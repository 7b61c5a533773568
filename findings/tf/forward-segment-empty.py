"""
title: The forward-mode derivative of tf.math.segment_mean is NaN for a segment without elements; 0 is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: tf.autodiff.ForwardAccumulator, a segment number that no element has; likewise segment_max, segment_min and
    unsorted_segment_max, unsorted_segment_min.  The value is 0 there, and tf.GradientTape is right.
rule: tf.math.segment_mean: a segment without elements is 0, whatever the elements are, so that its derivative is 0.
documented: docs/methods/equiv.md, Documented functions
tracker: https://github.com/tensorflow/tensorflow/issues/127233 (fixed after 2.21.0 by 127449), 57002
"""
import numpy as np

from library import right, verdict, with_tf, wrong


def derivative(name, ids):
    def inner(tf):
        x, along = tf.constant([1.0, 3.0]), tf.constant([1.0, 0.75])
        with tf.autodiff.ForwardAccumulator(x, along) as accumulator:
            y = getattr(tf.math, name)(x, ids)
        return accumulator.jvp(y).numpy()
    return with_tf(inner)


def f32(*values):
    return np.array(values, np.float32)


wrong("mean, both in segment 1", derivative("segment_mean", [1, 1]), f32(0, 0.875), seen=f32(np.nan, 0.875))
wrong("max, both in segment 1", derivative("segment_max", [1, 1]), f32(0, 0.75), seen=f32(np.nan, 0.75))
right("mean, one in each", derivative("segment_mean", [0, 1]), f32(1, 0.75))
verdict()

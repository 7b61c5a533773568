"""
title: tf.vectorized_map of tf.pad with constant_values=7 pads with 0; 7 is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: Two items or more.  tf.map_fn, and tf.vectorized_map of one item, are right.
rule: tf.vectorized_map: it is a parallel map over the items, as tf.map_fn is; tf.pad, argument constant_values.
documented: docs/methods/equiv.md, Documented functions
tracker: none found
"""
import numpy as np

from library import right, verdict, with_tf, wrong


def padded(how, items):
    def inner(tf):
        x = tf.constant(np.full((items, 2), 5, np.float32))
        return getattr(tf, how)(lambda t: tf.pad(t, [[1, 0]], constant_values=7), x).numpy()
    return with_tf(inner)


def rows(n, first):
    return np.array([[first, 5, 5]] * n, np.float32)


wrong("two items", padded("vectorized_map", 2), rows(2, 7), seen=rows(2, 0))
right("two items, map_fn", padded("map_fn", 2), rows(2, 7))
right("one item", padded("vectorized_map", 1), rows(1, 7))
verdict()

"""
title: tf.saturate_cast(inf, tf.int64) is the smallest int64; the largest is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: float32 or float64 numbers beyond the largest int64 or uint64, eager or in a graph: the bound itself rounds
    up beyond the type.  int32, and XLA, are right.
rule: tf.saturate_cast: values are clamped before the cast, so that there is no overflow or underflow.
documented: docs/methods/equiv.md, Documented functions
tracker: none found; https://github.com/tensorflow/tensorflow/pull/102861 (closed) is about infinite numbers that are
    not clamped at all
"""
import numpy as np

from library import called, right, verdict, wrong

def f32(*values):
    return np.array(values, np.float32)


LARGEST = np.iinfo(np.int64).max
exact = dict(rel=0, abs=0)
wrong("infinity", called(lambda tf, x: tf.saturate_cast(x, tf.int64), f32(np.inf)), np.array([LARGEST]),
      seen=np.array([-LARGEST - 1]), **exact)
wrong("1e19", called(lambda tf, x: tf.saturate_cast(x, tf.int64), np.array([1e19])), np.array([LARGEST]),
      seen=np.array([-LARGEST - 1]), **exact)
right("-1e19", called(lambda tf, x: tf.saturate_cast(x, tf.int64), f32(-1e19)), np.array([-LARGEST - 1]), **exact)
right("infinity to int32", called(lambda tf, x: tf.saturate_cast(x, tf.int32), np.array([np.inf])),
      np.array([2**31 - 1], np.int32), **exact)
verdict()

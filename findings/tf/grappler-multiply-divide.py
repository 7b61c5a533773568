"""
title: 1 * 3e38 / 3e38 with constants 3e38 is 0 in tf.function and by XLA; 1 is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
compiler: Grappler, XLA
condition: tf.function, with jit_compile=True or without: 3e38 times the inverse of 3e38, which is too small for a
    normal number.  Eager is right.
rule: tf.math.multiply and divide of what stands there.
documented: docs/methods/equiv.md, Documented functions
tracker: none found
"""
import numpy as np

from library import called, right, verdict, wrong

def f32(*values):
    return np.array(values, np.float32)


def there_and_back(how="eager"):
    return called(lambda tf, t: t * tf.constant(f32(3e38)) / tf.constant(f32(3e38)), f32(1), how=how)


wrong("in a graph", there_and_back("graph"), f32(1), seen=f32(0))
wrong("by XLA", there_and_back("xla"), f32(1), seen=f32(0))
right("eager", there_and_back(), f32(1))
verdict()

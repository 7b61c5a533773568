"""
title: In tf.function logical_not(NaN < 1) is False; True is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
compiler: Grappler
condition: tf.function: the optimizer makes x >= 1 of not x < 1, likewise of the other three.  equal and not_equal are
    right, and so are eager and XLA.
rule: IEEE 754: a comparison with NaN is false, but for not-equal; its negation is true.
documented: docs/methods/equiv.md, Documented functions
tracker: none found
"""
import numpy as np

from library import called, right, verdict, wrong

def f32(*values):
    return np.array(values, np.float32)


PAIRS = ("less", "less_equal", "greater", "greater_equal")


def negated(name, how="eager"):
    return called(lambda tf, x: tf.logical_not(getattr(tf, name)(x, 1.0)), f32(np.nan, 0, 2), how=how)


for name in PAIRS:
    below = name.startswith("less")
    wrong("not " + name, negated(name, "graph"), np.array([True, not below, below]),
          seen=np.array([False, not below, below]))
right("not less, eager", negated("less"), np.array([True, False, True]))
right("not equal to 1", negated("equal", "graph"), np.array([True, True, True]))
verdict()

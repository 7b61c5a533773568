"""
title: A layer normalization written out computes with an epsilon of 0.001 whatever the graph's is.
library: tensorflow-cpu
shows: 2.21.0
since: 2.21.0 (2.12.0 is right)
class: bug
condition: tf.compat.v1.Session with oneDNN (the default), scale and bias that are no constants, the last axis named
    by a
    positive number: the optimizer fuses the formula.  tf.function, and a session without oneDNN, are right.
rule: tf.compat.v1.Session: an optimization must not change a constant of the graph.
documented: data/quirks.tsv, LayerNormalization
tracker: none found; https://github.com/tensorflow/tensorflow/pull/58863 (merged) is about the epsilon of the fused
    operator in 2022
"""
from library_layernorm import formula, normalized, traced
from library import right, verdict, wrong

wrong("epsilon 0.1", normalized(0.1, ["y"]), formula(0.1), seen=formula(0.001))
wrong("epsilon 1e-5", normalized(1e-5, ["y"]), formula(1e-5), seen=formula(0.001))
right("epsilon 0.1, without oneDNN", normalized(0.1, ["y"], onednn=False), formula(0.1))
right("epsilon 0.1, scale and bias constants", normalized(0.1, ["y"], constants=True), formula(0.1))
right("epsilon 0.1, tf.function", traced(0.1), formula(0.1))
verdict()

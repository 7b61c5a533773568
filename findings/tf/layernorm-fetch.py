"""
title: A session that fetches a layer normalization and its mean is refused; it is a valid graph.
library: tensorflow-cpu
shows: 2.21.0
since: 2.21.0 (2.12.0 is right)
class: bug
condition: tf.compat.v1.Session with oneDNN (the default), scale and bias that are no constants: the optimizer fuses the
    formula and removes the mean, though it is fetched.  The result alone is fetched; without oneDNN both are.
rule: tf.compat.v1.Session.run: any tensor of the graph may be fetched.
documented: data/quirks.tsv, LayerNormalization
tracker: none found
"""
from library_layernorm import X, formula, normalized
from library import Refused, right, verdict, wrong

mean = X.mean(-1, keepdims=True)
wrong("the result and the mean", normalized(0.001, ["y", "mean"]), (formula(0.001), mean),
      seen=Refused("not found in the Graph"))
right("the result", normalized(0.001, ["y"]), formula(0.001))
right("the result and the mean, scale and bias constants", normalized(0.001, ["y", "mean"], constants=True),
      (formula(0.001), mean))
right("the result and the mean, without oneDNN", normalized(0.001, ["y", "mean"], onednn=False), (formula(0.001), mean))
verdict()

"""
title: Gradients by the parameters of a GRU of three layers are wrong.
library: mxnet
shows: 1.6.0
until: 1.6.0 (1.9.1 is right)
class: bug
condition: mode gru, three layers or more.  Two layers are right.
rule: The derivative by central differences of the same operation.
documented: docs/methods/swap.md, Cases
tracker: https://github.com/apache/mxnet/issues/18317
"""
from library import right, verdict, wrong
from library_rnn import deviation

wrong("gru, three layers: largest deviation", deviation("gru", 3), [0], abs=1e-6)
right("gru, two layers: largest deviation", deviation("gru", 2), [0], abs=1e-6)
verdict()

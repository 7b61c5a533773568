"""
title: Gradients by the parameters of a plain RNN of three layers are wrong.
library: mxnet
shows: 1.6.0, 1.9.1
class: bug
condition: mode rnn_tanh (or rnn_relu), three layers or more, float64; in 1.6.0 float32, too.  Two layers, and LSTM,
    are right.
rule: The derivative by central differences of the same operation.
documented: docs/methods/equiv.md, What was measured
tracker: none found; https://github.com/apache/mxnet/pull/18203 is about GRU and LSTM of three layers
"""
from library import right, verdict, wrong
from library_rnn import deviation

wrong("rnn_tanh, three layers: largest deviation", deviation("rnn_tanh", 3), [0], abs=1e-6)
right("rnn_tanh, two layers: largest deviation", deviation("rnn_tanh", 2), [0], abs=1e-6)
right("lstm, three layers: largest deviation", deviation("lstm", 3), [0], abs=1e-6)
verdict()

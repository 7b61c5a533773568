"""
title: a * sigmoid(b) of the two halves of a Split returns b * sigmoid(b).
library: tensorflow-cpu
shows: 2.12.0
until: 2.12.0 (2.21.0 is right)
class: bug
compiler: Grappler
condition: tf.compat.v1.Session with oneDNN (the default): the optimizer takes it for swish, though a is another
    output of
    the same Split.  Without oneDNN it is right.
rule: tf.compat.v1.Session: an optimization must look at which output of a node is read.
documented: data/quirks.tsv, Mul
tracker: https://github.com/tensorflow/tensorflow/issues/60941 (closed; fixed by
    https://github.com/tensorflow/tensorflow/pull/61334)
"""
import numpy as np

from library import right, verdict, with_tf, wrong

x = np.array([[1, 2, 4, 8]], np.float32)
gate = 1 / (1 + np.exp(-x[:, 2:]))


def glu(onednn=True, eager=False):
    def call(tf):
        if eager:
            a, b = tf.split(x, 2, -1)
            return (a * tf.sigmoid(b)).numpy()
        graph = tf.Graph()
        with graph.as_default():
            given = tf.compat.v1.placeholder(tf.float32, x.shape)
            a, b = tf.split(given, 2, -1)
            y = a * tf.sigmoid(b)
        with tf.compat.v1.Session(graph=graph) as session:
            return session.run(y, {given: x})
    return with_tf(call, onednn)


wrong("a session", glu(), x[:, :2] * gate, seen=x[:, 2:] * gate)
right("a session without oneDNN", glu(False), x[:, :2] * gate)
right("run at once", glu(eager=True), x[:, :2] * gate)
verdict()

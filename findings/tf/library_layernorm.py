"""A normalization written out as a graph, for the claims about what the optimizer makes of it."""

import numpy as np

from library import with_tf

X = np.array([[1, 2, 4, 8], [0, 1, 0, 3]], np.float32)
SCALE, BIAS = np.array([1, 2, 3, 4], np.float32), np.array([0.5] * 4, np.float32)


def formula(epsilon):
    d = X - X.mean(-1, keepdims=True)
    return d / np.sqrt((d ** 2).mean(-1, keepdims=True) + np.float32(epsilon)) * SCALE + BIAS


def nodes(tf, x, scale, bias, epsilon, axes):
    ops = tf.raw_ops
    mean = tf.reduce_mean(x, axes, keepdims=True)
    variance = tf.reduce_mean(ops.SquaredDifference(x=x, y=mean), axes, keepdims=True)
    inverse = ops.Rsqrt(x=ops.AddV2(x=variance, y=tf.constant(epsilon, tf.float32)))
    centred = ops.Mul(x=ops.Sub(x=x, y=mean), y=inverse)
    return {"y": ops.AddV2(x=ops.Mul(x=centred, y=scale), y=bias), "mean": mean}


def normalized(epsilon, fetch, onednn=True, constants=False, x=X, axes=(1,), scale=SCALE, bias=BIAS):
    """What a session gives for `fetch`."""
    def call(tf):
        graph = tf.Graph()
        with graph.as_default():
            make = tf.constant if constants else lambda v: tf.compat.v1.placeholder(tf.float32, v.shape)
            given = [tf.compat.v1.placeholder(tf.float32, x.shape), make(scale), make(bias)]
            out = nodes(tf, *given, epsilon, list(axes))
        feed = dict(zip(given[:1] if constants else given, (x, scale, bias)))
        with tf.compat.v1.Session(graph=graph) as session:
            return session.run([out[name] for name in fetch], feed)
    return with_tf(call, onednn)


def traced(epsilon):
    return with_tf(lambda tf: tf.function(lambda *v: nodes(tf, *v, epsilon, [1])["y"])(X, SCALE, BIAS).numpy())

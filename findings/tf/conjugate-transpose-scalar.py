"""
title: ConjugateTranspose of a scalar kills the process; the scalar is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: With oneDNN (the default), float32, a tensor without axes and a permutation without elements: nothing that
    is not legal.  Without oneDNN, or of complex64, or with one axis it is right.
rule: tf.raw_ops.ConjugateTranspose: y has the rank of x, and y.shape[i] is x.shape[perm[i]]; it excludes no rank.
documented: docs/methods/equiv.md, What was measured
tracker: https://github.com/tensorflow/tensorflow/issues/118345 (closed; fixed by
    https://github.com/tensorflow/tensorflow/pull/120211, which 2.21.0 does not have)
"""
import numpy as np

from library import Died, right, verdict, with_tf, wrong


def ones(*shape):
    return np.ones(shape, np.float32)


def conjugated(value, onednn=True):
    perm = np.arange(np.ndim(value), dtype=np.int32)
    return with_tf(lambda tf: tf.raw_ops.ConjugateTranspose(x=value, perm=perm).numpy(), onednn)


wrong("a scalar", conjugated(np.float32(2)), [2], seen=Died("SIGABRT"))
right("a scalar, without oneDNN", conjugated(np.float32(2), False), [2])
right("a complex scalar", conjugated(np.complex64(1 + 2j)), [1 - 2j])
right("a vector", conjugated(2 * ones(2)), [2, 2])
verdict()

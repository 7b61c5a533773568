"""
title: tf.math.log(3e38 i) of complex64 is NaN + 1.57 i; 88.6 + 1.57 i is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: complex64, eager or in a graph, numbers near the type's end in a tensor of several elements.  Compiled by
    XLA it is right.
rule: tf.math.log: log |z| + i arg z.
documented: docs/methods/equiv.md, Documented functions
tracker: https://github.com/tensorflow/tensorflow/issues/118034
"""
import numpy as np

from library import called, right, verdict, wrong

WANTED = np.complex64([complex(np.log(3e38), np.pi / 2)])
wrong("sixteen times 3e38 i", called(lambda tf, x: tf.math.log(x), np.complex64([3e38j] * 16)), WANTED.repeat(16),
      seen=np.complex64([complex(float("nan"), np.pi / 2)] * 16))
right("once 3e38 i", called(lambda tf, x: tf.math.log(x), np.complex64([3e38j])), WANTED, rel=1e-5)
right("1e10 i", called(lambda tf, x: tf.math.log(x), np.complex64([1e10j])),
      np.complex64([complex(np.log(1e10), np.pi / 2)]), rel=1e-5)
right("3e38 i, compiled by XLA", called(lambda tf, x: tf.math.log(x), np.complex64([3e38j]), how="xla"), WANTED,
      rel=1e-5)
verdict()
